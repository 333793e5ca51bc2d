/**
 * The choice, order and processes of test files. A file's suffix says where it belongs: `.test` to `npm test`,
 * `.prove` to `npm run prove`, `.search` to both, where it tries more in the latter.
 */

export type Times = Readonly<Record<string, number>>;

/** Estimates for a first run, by the beginning of the path: files that wait or search start first. */
const LONG_SECONDS: readonly (readonly [beginning: string, seconds: number])[] = [
  ['replication/', 20],
  ['simulation/', 20],
  ['http/faults/', 20],
  ['powerloss/', 15],
  ['main', 12],
  ['engine/against', 10],
  ['persistence/upkeep/', 8],
  ['blackbox/', 6],
  ['client/', 6],
  ['persistence/cli/', 6],
];
/** All others': about their mean. */
const OTHER_SECONDS = 2;
/** Files share a process up to so much: a start costs half a second. */
const SHARED_SECONDS = 16;
/** On a busy machine files share more: so many processes are enough for none to run for long alone at the end. */
const PROCESSES = 24;

const OF_TEST = /\.(test|search)\.js$/;
const OF_PROVE = /\.(prove|search)\.js$/;

export function select(
  paths: readonly string[],
  { isProve, parts }: { readonly isProve: boolean; readonly parts: readonly string[] },
): string[] {
  const suffix = isProve ? OF_PROVE : OF_TEST;
  return paths
    .filter((path) => suffix.test(path))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .sort();
}

const secondsOf = (path: string, times: Times): number =>
  times[path] ?? LONG_SECONDS.find(([beginning]) => path.startsWith(beginning))?.[1] ?? OTHER_SECONDS;

export function intoProcesses(paths: readonly string[], times: Times, areShared: boolean): string[][] {
  const processes: { files: string[]; seconds: number }[] = [];
  const allSeconds = paths.reduce((sum, path) => sum + secondsOf(path, times), 0);
  const sharedSeconds = Math.max(SHARED_SECONDS, allSeconds / PROCESSES);
  for (const path of paths) {
    const seconds = secondsOf(path, times);
    const last = processes.at(-1);
    if (areShared && last !== undefined && last.seconds + seconds <= sharedSeconds) {
      last.files.push(path);
      last.seconds += seconds;
    } else {
      processes.push({ files: [path], seconds });
    }
  }
  return processes.sort((a, b) => b.seconds - a.seconds).map(({ files }) => files);
}
