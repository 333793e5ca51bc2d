/**
 * Which test files run, which of them share a process, and in which order. A file's suffix says where it belongs:
 * `.test` to `npm test`, `.prove` to `npm run prove`, `.search` to both, where it tries more in the latter.
 */

/** How long files took when they last ran, in seconds, by path. */
export type Times = Readonly<Record<string, number>>;

/** Of a file that has not run yet: about the mean of `npm test`. */
const UNKNOWN_SECONDS = 2;
/** Files share a process up to so much: a start costs half a second, and the last process should not run for long alone. */
const SHARED_SECONDS_MAX = 16;

const OF_TEST = /\.(test|search)\.js$/;
const OF_PROVE = /\.(prove|search)\.js$/;

/** Of all paths those to run: with parts only the paths that contain one of them. */
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

const secondsOf = (path: string, times: Times): number => times[path] ?? UNKNOWN_SECONDS;

/** Processes for the files, those that take longest first. Neighbours share one where `areShared`. */
export function intoProcesses(paths: readonly string[], times: Times, areShared: boolean): string[][] {
  const processes: { files: string[]; seconds: number }[] = [];
  for (const path of paths) {
    const seconds = secondsOf(path, times);
    const last = processes.at(-1);
    if (areShared && last !== undefined && last.seconds + seconds <= SHARED_SECONDS_MAX) {
      last.files.push(path);
      last.seconds += seconds;
    } else {
      processes.push({ files: [path], seconds });
    }
  }
  return processes.sort((a, b) => b.seconds - a.seconds).map(({ files }) => files);
}
