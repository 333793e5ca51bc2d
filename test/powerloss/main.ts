/** `npm run power-loss -- --seed 1 --images 10000`: cuts the power of a recorded server again and again. */
import { optionsOf, seededProgram, wholeNumber } from '../support/seeded-program.js';
import { withRecording } from './power-loss.js';

const { seed, images, starts, orders, dir } = optionsOf<{
  images: number;
  starts: number;
  orders: number;
  dir?: string;
}>(
  seededProgram('power-loss', 'cuts the power of a recorded server again and again')
    .option('--images <n>', 'how often the power goes', wholeNumber, 10_000)
    .option('--starts <n>', 'start the real program on one image in so many; 0: on none', wholeNumber, 50)
    .option('--orders <n>', 'placed while the operations are recorded', wholeNumber, 6_000)
    .option('--dir <folder>', 'where the images are made; one in memory is faster'),
);
const recording = { orders, ...(dir !== undefined && { folder: dir }) };
await withRecording(recording, async (losePower) => {
  const report = await losePower({
    seed,
    images,
    ...(starts > 0 && { startsOneIn: starts }),
    keepsFailure: true,
    onProgress: (done) => process.stderr.write(`${done} images\n`),
  });
  for (const [loss, count] of report.images) process.stdout.write(`${String(count).padStart(7)}  ${loss}\n`);
  process.stdout.write(
    `${report.operations} operations recorded, ${report.snapshots} snapshots written, ${report.acknowledged} orders acknowledged; ${report.aheadOfMark} images ` +
      `came back with more than was acknowledged, none with less; the server was started on ${report.started} of them\n`,
  );
});
