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

export class Progress {
  #nextMs = performance.now() + QUIET_MS;

  /** `total` is in the unit of `update`, and may be 0 if there is nothing to do. */
  constructor(
    readonly title: string,
    readonly total: number,
  ) {}

  /** Cheap enough to be called for every batch. */
  update(done: number): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + LINE_EVERY_MS;
    const text = `${this.title}: ${done} of ${this.total} commands`;
    process.stderr.write(process.stderr.isTTY ? `${ERASE_LINE}${text}` : `${text}\n`);
  }
}

/** Before anything else is written there. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write(ERASE_LINE);
}
