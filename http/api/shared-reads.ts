/** GET endpoints that a gateway answers from shared memory, without asking the engine's thread. */

import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { TIERS, type Tier, textAt } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import { type Board, DURABLE_SEQ } from '../board/markets.js';
import type { Rights } from '../board/rights.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { WINDOW_MS } from '../limits/sliding-windows.js';
import type { BetLimits, Limits, ServerTime } from '../wire/service-types.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';

const OK = 200;

export interface SharedState {
  readonly board: Board;
  readonly rights: Rights;
  readonly limits: RateLimits;
  readonly rules: () => Rules;
}

export class SharedReads {
  readonly #journalRow = new Float64Array(1);

  constructor(private readonly facts: SharedState) {}

  time(call: Call): Verdict {
    this.facts.board.journal.read(0, this.#journalRow);
    const seq = must(this.#journalRow[DURABLE_SEQ], 'how far the journal is');
    const now: ServerTime = { timeMs: call.nowMs, time: isoText(call.nowMs), seq };
    return call.send(OK, successText(JSON.stringify(now)));
  }

  limits(call: Call): Verdict {
    const { limits, rights, rules } = this.facts;
    const tier = textAt(TIERS, rights.tier(call.account));
    const all: Limits = {
      windowMs: WINDOW_MS,
      rateLimits: limits.left(call, call.limitsNowMs),
      bets: betLimits(rules(), tier),
    };
    return call.send(OK, successText(JSON.stringify(all)));
  }
}

export function betLimits(rules: Rules, tier: Tier): BetLimits {
  const { maxStakeCents } = must(rules.tiers[TIERS.indexOf(tier)], 'the rules of a tier');
  return {
    tier,
    maxStake: maxStakeCents / 100,
    maxOpenBets: rules.openBetsMax,
    slippagePoints: rules.slippageE2 / 100,
    cutoffMs: rules.cutoffMs,
    idempotencyKeyMs: rules.idempotencyTtlMs,
    fee: rules.feeBps / 10_000,
  };
}
