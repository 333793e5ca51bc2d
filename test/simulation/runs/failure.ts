/**
 * The report of a failed world: the invariant, the seed and the command that repeats it, a minimal set of faults, and
 * the last steps of the account, round or bet in question.
 */
import { Violation } from '../violation.js';
import { World, type WorldOptions } from '../world.js';

const TRIALS_MAX = 40;
const LINES_ABOUT = 25;
const LINES_LAST = 15;
const LINE_LENGTH_MAX = 400;

export interface Outcome {
  readonly world: World;
  readonly error: Error | null;
}

export async function runWorld(options: WorldOptions): Promise<Outcome> {
  const world = new World(options);
  try {
    await world.run();
    return { world, error: null };
  } catch (thrown) {
    return { world, error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
}

const kindOf = (error: Error | null): string =>
  error instanceof Violation ? error.invariant : (error?.name ?? '');

/** As few faults as some re-runs can find with which the world still fails in the same way. */
export async function shorten(options: WorldOptions, failed: Outcome): Promise<ReadonlySet<number>> {
  const kind = kindOf(failed.error);
  // A fault that had not struck yet has no part in it.
  let kept = failed.world.plan
    .filter(({ atMs }) => atMs <= failed.world.scheduler.nowMs)
    .map(({ index }) => index);
  if (options.only !== undefined) kept = kept.filter((index) => options.only?.has(index));
  let trials = 0;
  for (let size = kept.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && trials < TRIALS_MAX; ) {
      const fewer = kept.filter((_, i) => i < at || i >= at + size);
      trials++;
      const { error } = await runWorld({ ...options, only: new Set(fewer) });
      if (error !== null && kindOf(error) === kind) kept = fewer;
      else at += size;
    }
  }
  return new Set(kept);
}

export function commandFor({ seed, hours, mutation, only }: WorldOptions): string {
  const rest = [
    ...(mutation ? [` --mutation ${mutation.name}`] : []),
    ...(only === undefined ? [] : [` --faults ${[...only].join(',') || 'none'}`]),
  ];
  return `npm run simulate -- --world ${seed} --world-hours ${hours}${rest.join('')}`;
}

export async function describe(options: WorldOptions): Promise<string> {
  const { world, error } = await runWorld({ ...options, isVerbose: true });
  const { lines } = world.trace;
  const about = error instanceof Violation ? error.about : [];
  const related = lines.filter(({ text }) => about.some((word) => mentions(text, word))).slice(-LINES_ABOUT);
  const last = lines.slice(-LINES_LAST);
  const shown = [...new Set([...related, ...last])].sort((a, b) => a.step - b.step);
  const faults = world.plan.filter(
    ({ index, atMs }) => (options.only?.has(index) ?? true) && atMs <= world.scheduler.nowMs,
  );
  return [
    `${error instanceof Violation ? error.message : (error?.stack ?? 'it did not fail again')}`,
    `seed ${options.seed}, step ${world.steps}, life ${world.machine.incarnation}, trace ${world.trace.digest()}`,
    `faults: ${faults.map(({ index, kind }) => `${index} ${kind}`).join(', ') || 'none'}`,
    ...shown.map(
      ({ step, timeMs, text }) =>
        `  ${step} ${new Date(timeMs).toISOString()} ${text.slice(0, LINE_LENGTH_MAX)}`,
    ),
    `again: ${commandFor(options)}`,
  ].join('\n');
}

function mentions(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at >= 0 && !/[0-9]/.test(text[at + word.length] ?? '');
}
