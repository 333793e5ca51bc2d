/**
 * `npm run torment -- --seed 7 --takeovers 200`: real servers and real NATS servers, tormented until so many leaders
 * have led.
 */
import { NO_NATS } from '../../support/replication/nats.js';
import { optionsOf, seededProgram, wholeNumber } from '../../support/seeded-program.js';
import { Torment, type TormentReport } from './torment.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function report({ takeovers, acknowledged, batches, faults, gapsMs }: TormentReport, tookMs: number): void {
  const rows = [...faults].sort(([, one], [, other]) => other - one);
  for (const [name, count] of rows) say(`${String(count).padStart(6)}  ${name}`);
  const at = (share: number): string =>
    `${((gapsMs[Math.floor(share * (gapsMs.length - 1))] ?? 0) / 1_000).toFixed(1)} s`;
  say(
    `${takeovers} takeovers in ${Math.round(tookMs / 60_000)} minutes, ${acknowledged} orders acknowledged, all there, each once, ` +
      `in ${batches} batches; both journals are the log's; until another one served: median ${at(0.5)}, 90 % ${at(0.9)}, longest ${at(1)}`,
  );
}

const { seed, takeovers } = optionsOf<{ takeovers: number }>(
  seededProgram('torment', 'torments two machines and three NATS servers').option(
    '--takeovers <n>',
    'how often another leader must follow',
    wholeNumber,
    200,
  ),
);
if (NO_NATS !== false) say(`left out: ${NO_NATS}`);
else {
  const startMs = performance.now();
  const torment = await Torment.start(seed);
  try {
    report(await torment.run(takeovers, say), performance.now() - startMs);
  } catch (error) {
    // On a disk of their own they are there until it is unmounted.
    const folders = await torment.abandon();
    say(`FAILED; the files of both machines and of NATS are left in ${folders.join(', ')}`);
    throw error;
  }
  await torment.remove();
}
