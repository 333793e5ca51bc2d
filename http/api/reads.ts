/**
 * The GET endpoints (specification, section 4). Market data are cached bytes of durable state. Accounts and rounds
 * are read from the engine at once, and sent when every command that they show is durable.
 */

import type { RoundSeeds } from '../../engine/fairness.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { assetOf, marketOf, parseRoundId } from '../../engine/model/domain.js';
import { parseLimit, parsePathId, parseQuery } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import { positionsBytes } from '../wire/account-text.js';
import { roundDetail } from '../wire/round-detail.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';
import type { LatestTick, MarketView } from './market-view.js';

const OK = 200;
export const POSITIONS_LIMIT_DEFAULT = 100;
export const ORDERS_LIMIT_DEFAULT = 50;
const NO_MARKET = new Refused('market_not_found', 'no active market has this id');
const NO_ROUND = new Refused('round_not_found', 'no round in memory has this id');

export class Reads {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly view: MarketView,
    private readonly seeds: RoundSeeds,
    private readonly latestTick: LatestTick,
  ) {}

  markets(call: Call): Verdict {
    return call.send(OK, this.view.markets(call.nowMs));
  }

  market(call: Call, segment: string): Verdict {
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const bytes = this.view.market(marketOf(id), call.nowMs);
    if (bytes === null) return NO_MARKET;
    return call.send(OK, bytes);
  }

  prices(call: Call): Verdict {
    return call.send(OK, this.view.prices());
  }

  positions(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['status', 'limit']);
    if (given instanceof Refused) return given;
    const status = given.get('status') ?? 'active';
    if (status !== 'active' && status !== 'all') return invalid('status must be active or all');
    const limit = parseLimit(given.get('limit'), POSITIONS_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    const { engine } = this.sequencer;
    const bets =
      status === 'all' ? engine.allPositions(call.account, limit) : engine.openPositions(call.account, limit);
    return this.#sendWhenDurable(call, this.#accountSeq(call), positionsBytes(bets));
  }

  orders(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['limit']);
    if (given instanceof Refused) return given;
    const limit = parseLimit(given.get('limit'), ORDERS_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    const bets = this.sequencer.engine.orders(call.account, limit);
    return this.#sendWhenDurable(call, this.#accountSeq(call), positionsBytes(bets));
  }

  round(call: Call, segment: string): Verdict {
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const { engine } = this.sequencer;
    const parsed = parseRoundId(id);
    const round = parsed === null ? null : engine.round(parsed.market, parsed.roundNumber);
    if (round === null) return NO_ROUND;
    const tick = this.latestTick(assetOf(round.market));
    return this.#sendWhenDurable(
      call,
      // The last bet it counts may be the last command.
      engine.seq,
      Buffer.from(successText(JSON.stringify(roundDetail(round, this.seeds, tick, call.nowMs)))),
    );
  }

  /**
   * Takes bytes, not a string: the garbage collector would copy the many pieces of a waiting string again and again.
   */
  #sendWhenDurable(call: Call, seq: number, body: Uint8Array): null {
    this.sequencer.whenDurable(seq, () => call.send(OK, body));
    return null;
  }

  /** Bets show their round's state, so the round's last transition must be durable, too. */
  #accountSeq(call: Call): number {
    const { engine } = this.sequencer;
    return Math.max(engine.accountTouchedSeq(call.account), engine.lifecycleSeq);
  }
}
