/**
 * `npm run simulate`: worlds from a seed until the simulated hours are over, or the real minutes. Ends with 1 where a
 * promise did not hold, or a run that was long enough lacks coverage.
 */
import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { LONG_RUN_COMMANDS, whatIsMissing } from './runs/expected.js';
import { commandFor, describe, runWorld, shorten } from './runs/failure.js';
import { readOptions, type SimulateOptions } from './runs/options.js';
import { type RunResult, runWorlds } from './runs/run.js';
import { Tally, type TallyParts } from './runs/tally.js';
import type { WorldOptions } from './world.js';

const PROGRESS_EVERY_MS = 15_000;
const MINUTE_MS = 60_000;
/** Set in the processes that a run starts: `<index>/<of>`. */
const SHARE = 'TOTE_SIMULATION_SHARE';

type FromWorker = { readonly parts: TallyParts; readonly failure: string | null };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function work(options: SimulateOptions, index: number, of: number): Promise<FromWorker> {
  const startMs = performance.now();
  let reportedMs = startMs;
  const result = await runWorlds(options, { index, of }, (tally) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs > PROGRESS_EVERY_MS) {
      reportedMs = nowMs;
      const { worlds, commands, crashes, rounds } = tally.counts;
      process.stderr.write(
        `process ${index}: ${worlds} worlds, ${commands} commands, ${crashes} crashes, ${rounds} rounds\n`,
      );
    }
    return options.minutes !== null && nowMs - startMs > options.minutes * MINUTE_MS;
  });
  return { parts: result.tally.parts(), failure: await failureOf(result) };
}

async function failureOf({ failed }: RunResult): Promise<string | null> {
  if (failed === null) return null;
  process.stderr.write(`${failed.outcome.error?.message}\nagain: ${commandFor(failed.options)}\n`);
  process.stderr.write('leaving faults out of the world that failed...\n');
  const only = await shorten(failed.options, failed.outcome);
  return describe({ ...failed.options, only });
}

function workInProcesses(options: SimulateOptions): Promise<FromWorker[]> {
  const one = (index: number): Promise<FromWorker> =>
    new Promise((resolve, reject) => {
      // The last seed counts: where none was named, all processes have the one that was drawn here.
      const args = [...process.argv.slice(2), '--seed', String(options.seed)];
      const child = fork(fileURLToPath(import.meta.url), args, {
        env: { ...process.env, [SHARE]: `${index}/${options.workers}` },
      });
      child.once('message', (message) => resolve(message as FromWorker));
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`process ${index} ended with ${code} and told nothing`)));
    });
  return Promise.all(Array.from({ length: options.workers }, (_, index) => one(index)));
}

async function runAll(options: SimulateOptions): Promise<number> {
  const startMs = performance.now();
  say(
    `seed ${options.seed}, ${options.workers} process(es)${options.mutation === null ? '' : `, with a bug: ${options.mutation.bug}`}`,
  );
  const results = options.workers === 1 ? [await work(options, 0, 1)] : await workInProcesses(options);
  const tally = new Tally();
  for (const { parts } of results) tally.add(parts);
  say(tally.coverage.table());
  say(tally.report(performance.now() - startMs));
  const failures = results.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  for (const failure of failures) say(`\nFAILED ${failure}`);
  const missing = failures.length > 0 || options.mutation !== null ? [] : whatIsMissing(tally);
  if (missing.length > 0) say(`\nNOT MET OFTEN ENOUGH: ${missing.join(', ')}`);
  else if (failures.length === 0 && tally.counts.commands >= LONG_RUN_COMMANDS)
    say('everything that is expected was met');
  return failures.length + missing.length > 0 ? 1 : 0;
}

async function runOne(options: WorldOptions): Promise<number> {
  const outcome = await runWorld(options);
  const tally = new Tally();
  tally.addWorld(outcome.world);
  if (outcome.error !== null) say(await describe(options));
  else say(`seed ${options.seed}: nothing is wrong; trace ${outcome.world.trace.digest()}`);
  return outcome.error === null ? 0 : 1;
}

const options = readOptions(process.argv.slice(2));
const share = process.env[SHARE];
if (share !== undefined) {
  // The process that started this one has ended: nobody waits for its result.
  process.once('disconnect', () => process.exit());
  if (!process.connected) process.exit();
  const [index = 0, of = 1] = share.split('/').map(Number);
  const result = await work(options, index, of);
  process.send?.(result, () => process.disconnect());
} else if (options.world !== null) {
  process.exitCode = await runOne({
    seed: options.world,
    hours: options.worldHours,
    mutation: options.mutation,
    ...(options.faults !== null && { only: options.faults }),
  });
} else {
  process.exitCode = await runAll(options);
}
