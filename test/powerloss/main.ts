/** `npm run power-loss -- --seed 1 --images 10000`: loses the power of a recorded server again and again. */
import { parseArgs } from 'node:util';
import { powerLoss } from './power-loss.js';

const whole = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: ${text} is no whole number`);
  return Number(text);
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    images: { type: 'string', default: '10000' },
    orders: { type: 'string', default: '6000' },
    dir: { type: 'string' },
  },
});
const seed = whole('seed', values.seed);
process.stdout.write(`seed ${seed}\n`);
const report = await powerLoss({
  seed,
  images: whole('images', values.images),
  orders: whole('orders', values.orders),
  ...(values.dir === undefined ? {} : { folder: values.dir }),
  onProgress: (done) => process.stderr.write(`${done} images\n`),
});
for (const [loss, count] of report.images) process.stdout.write(`${String(count).padStart(7)}  ${loss}\n`);
process.stdout.write(
  `${report.operations} operations recorded, ${report.acknowledged} orders acknowledged; ${report.aheadOfMark} images ` +
    'came back with more than was acknowledged, none with less\n',
);
