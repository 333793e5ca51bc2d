/** All that the handlers of the public API need, on one gateway. */
import { BetHashes } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/hashes.js';
import { type SignLater, statementSigner } from '../../crypto/signing.js';
import { RoundSeeds } from '../../engine/fairness.js';
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import type { Clock } from '../../engine/model/ports.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { Rules } from '../../engine/model/rules.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { Board } from '../board/markets.js';
import type { Rights } from '../board/rights.js';
import { IdempotencyDigests } from '../kit/idempotency.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { Link } from '../link/link.js';
import type { GatewayMeter } from '../metrics/gateway-meter.js';
import type { OrderTraces } from '../metrics/order-traces.js';
import type { DocsFiles } from '../pages/docs-page.js';
import type { Call } from './call.js';
import { MarketView } from './market-view.js';

export interface PublicApiParts {
  readonly link: Link;
  readonly rights: Rights;
  readonly board: Board;
  readonly rules: () => Rules;
  readonly clock: Clock;
  readonly limits: RateLimits;
  /**
   * In whole milliseconds; it is given the monotonic time. Not the wall clock: set back by an hour, it would keep
   * requests in their windows for an hour.
   */
  readonly limitsNowMs: (monotonicMs: number) => number;
  readonly meter: GatewayMeter;
  readonly traces: OrderTraces;
  /** Round seeds and idempotency digests derive from it. */
  readonly masterSecret: Uint8Array;
  readonly betHashes: SharedArrayBuffer;
  readonly signing: SigningKeys;
  readonly signLater: SignLater;
  /** null before the first. */
  readonly journalHead: () => SignedHead | null;
  /** `MARKET_AGE_MS_MAX` less the greatest age of the board, or 0 on a manual clock. */
  readonly marketAgeMsMax: number;
  readonly archive: ArchiveReads;
  readonly docs: DocsFiles;
  /** For GET /stream. */
  readonly openStream: (call: Call) => void;
  /** Differs for each start of the server. */
  readonly requestIdPrefix: string;
}

export type Services = Readonly<ReturnType<typeof servicesOf>>;

export function servicesOf(parts: PublicApiParts) {
  const seeds = new RoundSeeds(parts.masterSecret, FAIRNESS_TOOLS);
  return {
    ...parts,
    view: new MarketView(parts.board, parts.marketAgeMsMax),
    seeds,
    hashes: new BetHashes(seeds, parts.betHashes),
    digests: new IdempotencyDigests(parts.masterSecret),
    sign: statementSigner(parts.signing),
    /** By account: how many wait for the archive. */
    archiveQuestions: new Map<number, number>(),
  };
}
