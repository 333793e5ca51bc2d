/** Accounts, keys, rounds, bets and transfers in memory, read on the engine's thread. */
import { must } from '../../../engine/base/assert.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { AccountView, KeyView, RoundView } from '../../../engine/model/views.js';
import { listOf } from '../../desk/lists.js';
import { refuse } from '../../kit/refused.js';
import type { Searched, Slice } from '../../kit/search-query.js';
import type {
  AccountBets,
  AccountColumns,
  After,
  HouseFacts,
  OpenRound,
  OpenRounds,
  QueryOf,
  Reply,
  Slices,
} from './query.js';

/** Looked at in one turn: as many as a page has unless more are asked for, so that a usual page shows one moment. */
export const SLICE_ROWS = 100;
/** Looked at for one page. */
export const PAGE_ROWS_MAX = 100_000;

export class OperatorReads {
  constructor(private readonly sequencer: Sequencer) {}

  account({ account }: QueryOf<'account'>): Reply<AccountView> {
    return { result: this.#account(account), after: this.#seq() };
  }

  key({ key }: QueryOf<'key'>): Reply<KeyView> {
    const { engine } = this.sequencer;
    if (key < 1 || key > engine.keyCount) refuse('key_not_found', 'no such key');
    return { result: keyView(engine.key(key)), after: engine.seq };
  }

  accounts({ name, tier, frozen, ...searched }: QueryOf<'accounts'>): Slices<Slice<AccountColumns>> {
    const { engine } = this.sequencer;
    const look = (account: number): AccountView | null => {
      const view = must(engine.account(account), `account ${account}`);
      if (tier !== null && view.tier !== tier) return null;
      if (frozen !== null && view.frozen !== frozen) return null;
      return name === null || view.name?.toLowerCase().includes(name) === true ? view : null;
    };
    return search(searched, engine.accountCount, look, columns, this.#seq);
  }

  keys({
    account,
    enabled,
    expiresBeforeMs,
    ...searched
  }: QueryOf<'keys'>): Slices<Slice<readonly KeyView[]>> {
    const { engine } = this.sequencer;
    if (account !== null) this.#account(account);
    const own = account === null ? null : engine.keysOf(account);
    const look = (number: number): KeyView | null => {
      const view = own === null ? engine.key(number) : must(own[number - 1], 'key of the account');
      if (enabled !== null && view.enabled !== enabled) return null;
      if (expiresBeforeMs !== null && (view.expiresAtMs ?? Number.POSITIVE_INFINITY) >= expiresBeforeMs)
        return null;
      return keyView(view);
    };
    return search(searched, own?.length ?? engine.keyCount, look, (found) => found, this.#seq);
  }

  /** Number 1 is the house, account 0: the search begins at 1. */
  transfers({
    reference,
    account,
    ...searched
  }: QueryOf<'transfers'>): Slices<Slice<readonly BalanceMoved[]>> {
    const { engine } = this.sequencer;
    if (account !== null && account > 0) this.#account(account);
    const first = account ?? 0;
    const count = account === null ? engine.accountCount + 1 : 1;
    const look = (number: number): BalanceMoved | null => engine.transfer(first + number - 1, reference);
    return search(searched, count, look, (found) => found, this.#seq);
  }

  *openRounds(): Slices<OpenRounds> {
    const { sequencer } = this;
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
      if (round !== null) rounds.push(openRound(round));
    }
    yield slice(rounds);
    const unsettled = engine.unsettledRounds();
    for (let at = 0; at < unsettled.length; at += SLICE_ROWS)
      yield slice(unsettled.slice(at, at + SLICE_ROWS).map(openRound));
    return engine.seq;
  }

  betsOfAccount({ account, list }: QueryOf<'betsOfAccount'>): Reply<AccountBets> {
    const { engine } = this.sequencer;
    this.#account(account);
    const reachedSeq = engine.accountTouchedSeq(account);
    // Bets show their round's state, so the round's last step must be durable, too.
    const after = Math.max(reachedSeq, engine.lifecycleSeq);
    return { result: { ...listOf(engine, account, list), reachedSeq }, after };
  }

  accountSeq({ account }: QueryOf<'accountSeq'>): Reply<number> {
    this.#account(account);
    const seq = this.sequencer.engine.accountTouchedSeq(account);
    return { result: seq, after: seq };
  }

  house(): Reply<HouseFacts> {
    const { engine } = this.sequencer;
    const { resultCents, liftedCents } = engine.dayResults(this.sequencer.stampMs());
    const { lossLimits } = must(engine.rules, 'rules');
    return { result: { ...engine.totals(), resultCents, liftedCents, lossLimits }, after: this.#seq() };
  }

  readonly #seq = (): number => this.sequencer.engine.seq;

  #account(account: number): AccountView {
    return this.sequencer.engine.account(account) ?? refuse('account_not_found', 'no such account');
  }
}

/**
 * Searches things that are numbered from 1. Each slice and each page looks at a bounded number: a page may have fewer
 * than asked for, even none, and says where to go on. `look` gives the view of a number, or null; `pack` makes one
 * slice of several; `seq` is the command to wait for.
 */
export function* search<T, F>(
  { after, limit }: Searched,
  count: number,
  look: (number: number) => T | null,
  pack: (found: readonly T[]) => F,
  seq: () => After,
): Slices<Slice<F>> {
  const end = Math.min(count, after + PAGE_ROWS_MAX);
  let left = limit;
  for (let number = after + 1; number <= end && left > 0; ) {
    const found: T[] = [];
    const sliceEnd = Math.min(number + SLICE_ROWS, end + 1);
    for (; number < sliceEnd && found.length < left; number++) {
      const one = look(number);
      if (one !== null) found.push(one);
    }
    left -= found.length;
    const isLast = left === 0 || number > end;
    const next = isLast && number <= count ? number - 1 : null;
    yield found.length === 0 && next === null ? null : { found: pack(found), next };
  }
  return seq();
}

/** Without the digest. A copy, because the engine's own record changes with the next command. */
export const keyView = ({
  key,
  account,
  scopesMask,
  enabled,
  expiresAtMs,
  createdAtMs,
  deadmanSeconds,
}: KeyView): KeyView => ({
  ...{ key, account, scopesMask, enabled },
  ...{ expiresAtMs, createdAtMs, deadmanSeconds },
});

function columns(views: readonly AccountView[]): AccountColumns {
  return {
    accounts: Float64Array.from(views, ({ account }) => account),
    names: views.map(({ name }) => name),
    tiers: Uint8Array.from(views, ({ tier }) => tier),
    frozen: Uint8Array.from(views, ({ frozen }) => (frozen ? 1 : 0)),
    balancesCents: Float64Array.from(views, ({ balanceCents }) => balanceCents),
  };
}

/** A copy, because the engine's own round changes with the next command. */
function openRound(round: RoundView): OpenRound {
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
