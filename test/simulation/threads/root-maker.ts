/**
 * Makes the roots of rounds beside one life of the server, as its thread does: the real feed and the real trees over
 * the server's engine. Roots come late, as threads do, and now and then too late.
 */
import type { Engine } from '../../../engine/engine.js';
import type { MadeRoot } from '../../../engine/model/commands.js';
import { rootMaker } from '../../support/engine/signing.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { ThreadHost } from './thread.js';

const POLL_MS = 200;
/** The thread hangs this often. `HANG_MS_MAX`: a round of a minute is settled by then. */
const HANG_CHANCE = 0.02;
const HANG_MS_MAX = 30_000;

interface RootMakerParts {
  readonly engine: Engine;
  readonly masterSecret: Uint8Array;
  readonly host: ThreadHost;
  readonly rng: Rng;
  readonly publish: (root: MadeRoot) => void;
}

export class RootMaker {
  readonly #make: () => MadeRoot[];
  #isPolling = false;
  #toldUntilMs = 0;

  constructor(private readonly parts: RootMakerParts) {
    this.#make = rootMaker(parts.engine, parts.masterSecret);
    this.poll();
  }

  /** Something has happened: it is looked at within the time of a poll. */
  poll(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.parts.host.later(this.parts.rng.integer(0, POLL_MS), () => {
      this.#isPolling = false;
      const roots = this.#make();
      if (roots.length > 0) this.#giveBack(roots);
    });
  }

  /** From the thread of roots: no message overtakes another. */
  #giveBack(roots: readonly MadeRoot[]): void {
    const { host, rng, publish } = this.parts;
    const lateMs = rng.chance(HANG_CHANCE) ? rng.integer(0, HANG_MS_MAX) : rng.integer(0, 3);
    this.#toldUntilMs = Math.max(this.#toldUntilMs, host.nowMs + lateMs);
    host.later(this.#toldUntilMs - host.nowMs, () => {
      for (const root of roots) publish(root);
    });
  }
}
