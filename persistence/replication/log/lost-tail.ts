/**
 * A log without its newest messages: a server that lags behind leads it, or the servers have lost what they acknowledged. The
 * former is mended by asking for another one. The latter is, too, if the journal here has those messages: it publishes them
 * anew. Without them nobody may lead, for orders that clients were told of would be gone.
 */
import type { Patience } from './patience.js';
import type { ReplicatedLog } from './replicated-log.js';

/** Every so often another server is asked for; where the journal here has everything, no more often than there are servers. */
const ASK_EVERY_MS = 1_000;
const SERVERS = 3;

export interface Ends {
  /** The last command of the log. */
  readonly logSeq: number;
  /** The last command of the log and the journal here. */
  readonly ownSeq: number;
  /** The last leader had the log up to this command. */
  readonly toldSeq: number;
  readonly leader: string;
  /** The journal here has more than one batch behind the log's end. */
  readonly isFarAhead: boolean;
}

export interface LostTailOptions {
  readonly node: string;
  readonly monotonicMs: () => number;
  readonly patience: Patience;
  readonly onLost: (reason: string | null) => void;
}

export class LostTail {
  #asked = 0;
  /** Of the last question, or of the first look that found something missing. */
  #sinceMs: number | null = null;

  constructor(
    private readonly log: Pick<ReplicatedLog, 'stepDown'>,
    private readonly options: LostTailOptions,
  ) {}

  /** Whether a process at these ends may lead, as far as the log's end is concerned. To be asked again if not. */
  async isSettled(ends: Ends): Promise<boolean> {
    const { monotonicMs, patience, onLost } = this.options;
    const { isFarAhead, ownSeq, toldSeq } = ends;
    const isAllHere = ownSeq >= toldSeq;
    if (isAllHere && !isFarAhead) return this.leave();
    const nowMs = monotonicMs();
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < ASK_EVERY_MS) return false;
    if (isAllHere && this.#asked >= SERVERS) return this.leave();
    onLost(this.#reason(ends));
    await patience.until(() => this.log.stepDown());
    this.#asked += 1;
    this.#sinceMs = nowMs;
    return false;
  }

  /** Nothing is missing, or it is somebody else's turn to lead. */
  leave(): true {
    if (this.#sinceMs === null) return true;
    this.#asked = 0;
    this.#sinceMs = null;
    this.options.onLost(null);
    return true;
  }

  #reason({ logSeq, ownSeq, toldSeq, leader }: Ends): string {
    const lost = `the log ends at command ${logSeq}, and had ${Math.max(ownSeq, toldSeq)}: another NATS server is asked`;
    if (ownSeq >= toldSeq) return lost;
    return (
      `${lost}. Nobody may lead without what clients were told of: start ${leader}, which has it. If its disk is lost, ` +
      `npx tote promote ${this.options.node} --accept-loss`
    );
  }
}
