/**
 * Progress of long work, on stderr: a line that changes on a terminal, new lines in a log. Work that takes less than a
 * second shows nothing.
 *
 * An interrupt ends a command at once. Commands work synchronously for minutes, during which no signal handler could
 * run. So none is installed, and the system ends the process with its threads.
 */
const QUIET_MS = 1_000;
const LINE_EVERY_MS = 2_000;
const ERASE_LINE = '\r\u001b[K';

/** The returned function is cheap enough to be called for every batch. `total` may be 0 if there is nothing to do. */
export function showProgress(title: string, total: number): (done: number) => void {
  let nextMs = performance.now() + QUIET_MS;
  return (done) => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + LINE_EVERY_MS;
    const text = `${title}: ${done} of ${total} commands`;
    process.stderr.write(process.stderr.isTTY ? `${ERASE_LINE}${text}` : `${text}\n`);
  };
}

/** On a terminal, before the first look at `root`: while its disk hangs, nothing more can be told. */
export function showReading(root: string): void {
  if (process.stderr.isTTY) process.stderr.write(`reading ${root} ...`);
}

/** Before anything else is written there. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write(ERASE_LINE);
}
