/** `tote backup --follow`: what it tells of its passes, and how it ends. */

import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FollowPass, follow } from '../../upkeep/backup/follow.js';
import type { FollowJson } from '../answers/answers.js';
import type { Context } from '../frame/command.js';
import { EXIT, type ExitCode } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { countText } from '../frame/output.js';

/** Passes without news are told once in this time. */
const TELL_EVERY_MS = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface FollowSettings {
  readonly everyMs: number;
  readonly keepMs: number | null;
}

/** Ends with SIGINT or SIGTERM, between two passes. */
export async function followBackup(
  context: Context,
  to: string,
  settings: FollowSettings,
): Promise<ExitCode> {
  const { everyMs, keepMs } = settings;
  const over = new AbortController();
  const stop = (): void => over.abort();
  for (const signal of SIGNALS) process.on(signal, stop);
  const teller = new Teller(context, to, everyMs);
  try {
    await follow(context.dir, to, {
      pause: () => delay(everyMs, undefined, { signal: over.signal }).catch(() => undefined),
      isOver: () => over.signal.aborted,
      nowMs: () => Date.now(),
      keepMs,
      onPass: (pass) => teller.passed(pass),
      onFailed: (reason) => teller.failed(reason),
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
  return teller.hasFaults ? EXIT.faulty : EXIT.done;
}

class Teller {
  hasFaults = false;
  #toldMs = Number.NEGATIVE_INFINITY;
  #failure = '';
  #faults = '';

  constructor(
    private readonly context: Context,
    private readonly to: string,
    private readonly everyMs: number,
  ) {}

  passed(pass: FollowPass): void {
    this.hasFaults = pass.faults.length > 0;
    const faults = pass.faults.join('\n');
    const isNews = this.#failure !== '' || faults !== this.#faults || pass.segmentsWritten.length > 0;
    if (!isNews && pass.asOfMs - this.#toldMs < TELL_EVERY_MS) return;
    this.#failure = '';
    this.#faults = faults;
    this.#toldMs = pass.asOfMs;
    const lagMsMax = this.everyMs + pass.tookMs;
    const { segmentsDeleted, segmentsWritten, seq, commandsBehind } = pass;
    if (this.context.out.isJson) {
      const { asOfMs, tookMs, batchesAppended } = pass;
      const told = {
        seq,
        commandsBehind,
        tookMs,
        batchesAppended,
        segmentsWritten,
        segmentsDeleted,
        faults: pass.faults,
      };
      this.#line({ to: resolve(this.to), asOf: isoText(asOfMs), lagMsMax, failure: null, ...told });
      return;
    }
    const news = [
      `up to ${seq}`,
      `${countText(commandsBehind)} commands behind`,
      `at most ${(lagMsMax / 1_000).toFixed(1)} s old`,
      ...segmentsWritten.map((name) => `wrote ${name}`),
      ...(segmentsDeleted > 0 ? [`deleted ${segmentsDeleted} segments`] : []),
    ];
    this.#print(`${isoText(pass.asOfMs)}  ${news.join(', ')}`);
    for (const fault of pass.faults) this.#print(`FAULT ${fault}`);
  }

  /** Once for each reason. */
  failed(reason: string): void {
    if (reason === this.#failure) return;
    this.#failure = reason;
    this.hasFaults = true;
    if (this.context.out.isJson) this.#line({ to: resolve(this.to), failure: reason });
    else this.#print(`FAILED, will be tried again: ${reason}`);
  }

  #line(told: FollowJson): void {
    this.#print(JSON.stringify(told));
  }

  /** At once: whoever follows the lines waits for them. */
  #print(text: string): void {
    this.context.out.line(text);
    this.context.out.flush();
  }
}
