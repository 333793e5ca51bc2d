/** `npm run power-loss -- --seed 1 --images 10000`: cuts the power of a recorded server again and again. */
import { parseArgs } from 'node:util';
import { anySeed, integerOption } from '../support/integer-option.js';
import { withRecording } from './power-loss.js';

const HELP = `npm run power-loss -- [options]
  --seed N      the same choices again, on another recording (default: others each time)
  --images N    how often the power goes (10000)
  --starts N    the real program is started on one image in N (50); 0: on none
  --orders N    placed while the operations are recorded (6000)
  --dir FOLDER  where the images are made; one in memory is faster
  --help`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: anySeed() },
    images: { type: 'string', default: '10000' },
    starts: { type: 'string', default: '50' },
    orders: { type: 'string', default: '6000' },
    dir: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
const seed = integerOption('seed', values.seed);
process.stdout.write(`seed ${seed}\n`);
const startsOneIn = integerOption('starts', values.starts);
const images = integerOption('images', values.images);
const recording = {
  orders: integerOption('orders', values.orders),
  ...(values.dir === undefined ? {} : { folder: values.dir }),
};
await withRecording(recording, async (losePower) => {
  const report = await losePower({
    seed,
    images,
    ...(startsOneIn === 0 ? {} : { startsOneIn }),
    keepsFailure: true,
    onProgress: (done) => process.stderr.write(`${done} images\n`),
  });
  for (const [loss, count] of report.images) process.stdout.write(`${String(count).padStart(7)}  ${loss}\n`);
  process.stdout.write(
    `${report.operations} operations recorded, ${report.snapshots} snapshots written, ${report.acknowledged} orders acknowledged; ${report.aheadOfMark} images ` +
      `came back with more than was acknowledged, none with less; the server was started on ${report.started} of them\n`,
  );
});
