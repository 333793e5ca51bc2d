/**
 * Progress of long work, on stderr: a bar on a terminal, plain lines in a log. Work that takes less than a second shows
 * nothing.
 *
 * An interrupt ends a command at once. Commands work synchronously for minutes, during which no signal handler could
 * run. So none is installed, and the system ends the process with its threads. Since nothing could be restored in the
 * terminal either, nothing is changed there: the cursor stays visible.
 */
import { SingleBar } from 'cli-progress';

const QUIET_MS = 1_000;
const LINE_EVERY_MS = 2_000;

export interface Progress {
  /** `done` is in the unit of the total. Cheap enough to be called for every batch. */
  update(done: number): void;
  /** Removes the bar; the caller reports the outcome. A second call does nothing. */
  end(): void;
}

/** A terminal has room for one. */
let current: Progress | null = null;

/** Ends any progress before. `total` may be 0 if there is nothing to do. */
export function startProgress(title: string, total: number, unit: string): Progress {
  endProgress();
  current = process.stderr.isTTY ? new Bar(title, total, unit) : new Lines(title, total, unit);
  return current;
}

/** Ends the progress that is shown, if any. A bar keeps the process alive, even if the command failed. */
export function endProgress(): void {
  current?.end();
  current = null;
}

class Bar implements Progress {
  readonly #startedMs = performance.now();
  readonly #bar: SingleBar;
  #isShown = false;

  constructor(
    readonly title: string,
    readonly total: number,
    unit: string,
  ) {
    this.#bar = new SingleBar({
      format: `${title} [{bar}] {percentage}% of {total} ${unit}, {eta_formatted} left`,
      clearOnComplete: true,
      hideCursor: false,
      barsize: 30,
      etaBuffer: 50,
      gracefulExit: false,
    });
  }

  update(done: number): void {
    if (!this.#isShown) {
      if (performance.now() - this.#startedMs < QUIET_MS) return;
      this.#isShown = true;
      this.#bar.start(this.total, done);
    }
    this.#bar.update(done);
  }

  end(): void {
    if (this.#isShown) this.#bar.stop();
  }
}

class Lines implements Progress {
  #nextMs = performance.now() + QUIET_MS;

  constructor(
    readonly title: string,
    readonly total: number,
    readonly unit: string,
  ) {}

  update(done: number): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + LINE_EVERY_MS;
    process.stderr.write(`${this.title}: ${done} of ${this.total} ${this.unit}\n`);
  }

  end(): void {}
}
