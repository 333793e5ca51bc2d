/** Rounds, bets and transfers in memory, as the engine's thread gives them for the operators' lists. */
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { RoundView } from '../../../engine/model/views.js';
import { listOf } from '../../desk/lists.js';
import type { Refused } from '../../kit/refused.js';
import type { Slice } from '../../kit/search-query.js';
import { NO_ACCOUNT } from './accounts.js';
import type { AccountBets, AskOf, OpenRound, OpenRounds } from './dealings.js';
import { type After, type Facts, facts, Slices } from './reply.js';
import { SLICE_ROWS, search } from './search.js';

export class ListDesk {
  constructor(private readonly sequencer: Sequencer) {}

  openRounds(): Slices<OpenRounds> {
    return new Slices(roundSlices(this.sequencer));
  }

  bets({ account, list }: AskOf<'betsOfAccount'>): Facts<AccountBets> | Refused {
    const { engine } = this.sequencer;
    if (engine.account(account) === null) return NO_ACCOUNT;
    const reachedSeq = engine.accountTouchedSeq(account);
    // Bets show their round's state, so the round's last step must be durable, too.
    const after = Math.max(reachedSeq, engine.lifecycleSeq);
    return facts({ ...listOf(engine, account, list), reachedSeq }, after);
  }

  accountSeq({ account }: AskOf<'accountSeq'>): Facts<number> | Refused {
    const { engine } = this.sequencer;
    if (engine.account(account) === null) return NO_ACCOUNT;
    const seq = engine.accountTouchedSeq(account);
    return facts(seq, seq);
  }

  /** Number 1 is the house, account 0: the search begins at 1. */
  transfers({
    reference,
    account,
    ...searched
  }: AskOf<'transfers'>): Slices<Slice<readonly BalanceMoved[]>> | Refused {
    const { engine } = this.sequencer;
    if (account !== null && account > 0 && engine.account(account) === null) return NO_ACCOUNT;
    const first = account === null ? 0 : account;
    const count = account === null ? engine.accountCount + 1 : 1;
    const look = (number: number): BalanceMoved | null => engine.transfer(first + number - 1, reference);
    return new Slices(
      search(
        searched,
        count,
        look,
        (found) => found,
        () => engine.seq,
      ),
    );
  }
}

/** Rounds that are not settled: the current one of each market, then those that wait for their price or settlement. */
function* roundSlices(sequencer: Sequencer): Generator<OpenRounds, After, void> {
  const { engine } = sequencer;
  const slice = (some: readonly OpenRound[]): OpenRounds => ({
    rounds: some,
    seq: engine.seq,
    lifecycleSeq: engine.lifecycleSeq,
    timeMs: sequencer.stampMs(),
  });
  const rounds: OpenRound[] = [];
  for (let market = 0; market < MARKETS_MAX; market++) {
    const round = engine.currentRound(market);
    if (round !== null) rounds.push(shown(round));
  }
  yield slice(rounds);
  const unsettled = engine.unsettledRounds();
  for (let at = 0; at < unsettled.length; at += SLICE_ROWS)
    yield slice(unsettled.slice(at, at + SLICE_ROWS).map(shown));
  return engine.seq;
}

/** A copy as of now: the engine's own round changes with the next command. */
function shown(round: RoundView): OpenRound {
  const { market, roundNumber, startTimeMs, lockTimeMs, endTimeMs, openPrice, closePrice, status, result } =
    round;
  const { poolUpCents, poolDownCents, payoutUpCents, payoutDownCents, betCount, volumeCents } = round;
  const { seedCents, feeBps, voidReason } = round;
  return {
    ...{ market, roundNumber, startTimeMs, lockTimeMs, endTimeMs, openPrice, closePrice, status, result },
    ...{ poolUpCents, poolDownCents, payoutUpCents, payoutDownCents, betCount, volumeCents },
    ...{ seedCents, feeBps, voidReason, edgeCents: round.quote?.edgeCents ?? null },
  };
}
