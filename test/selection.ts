/**
 * Which test files run, which of them share a process, and in which order. A file's suffix says where it belongs:
 * `.test` to `npm test`, `.prove` to `npm run prove`, `.search` to both, where it tries more in the latter.
 */

/** How long files took when they last ran, in seconds, by path. */
export type Times = Readonly<Record<string, number>>;

/** Of a file that has not run yet: about the mean of `npm test`. */
const UNKNOWN_SECONDS = 2;
/** Files share a process up to so much: a start costs half a second. */
const SHARED_SECONDS = 16;
/** More where all take longer, on a busy machine: so many processes are enough for none to run for long alone at the end. */
const PROCESSES = 24;

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

/**
 * Processes for the files, those that take longest first; in a first run those of replication and simulation, which are
 * the last by name. Neighbours share one where `areShared`.
 */
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
  // The last process has what was left of the files: by its size it would start last in a first run.
  const known = (files: readonly string[]): number =>
    files.reduce((sum, path) => sum + (times[path] ?? 0), 0);
  return processes
    .map(({ files }) => files)
    .reverse()
    .sort((a, b) => known(b) - known(a));
}
