/** Questions about accounts, keys, rounds, bets and transfers in memory, answered on the engine's thread. */
import { must } from '../../../engine/base/assert.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { DayResults } from '../../../engine/model/loss-limits.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { AccountView, KeyView, RoundView, Totals } from '../../../engine/model/views.js';
import { unfinishedRounds } from '../../../engine/reads/round-bets.js';
import { listOf } from '../../desk/lists.js';
import type { Searched, Slice } from '../../kit/cursor.js';
import { refuse } from '../../kit/refused.js';
import type { BetsReply } from '../../link/orders.js';
import type { ListFields } from '../../link/questions.js';

/**
 * The operators' thread is told once this command is durable. `all` waits for all work that is due now, settlements
 * included.
 */
export type After = number | 'all';

export interface Reply<T> {
  readonly result: T;
  readonly after: After;
}

/** Each slice is one turn's work, null if it has found nothing. The whole list waits for the returned command. */
export type Slices<T> = Generator<T | null, After, void>;

/** Looked at in one turn: as many as a page has unless more are asked for, so that a usual page shows one moment. */
export const SLICE_ROWS = 100;
/** Looked at for one page. */
export const PAGE_ROWS_MAX = 100_000;

export type OpenRound = ReturnType<typeof openRound>;

/** `seq` and `lifecycleSeq` are the last commands, of all and of rounds, when these rounds were read. */
export interface OpenRounds {
  readonly rounds: readonly OpenRound[];
  readonly seq: number;
  readonly lifecycleSeq: number;
  readonly timeMs: number;
}

/** The books, the house's results of today, and their limits. */
export interface HouseTotals extends Totals, DayResults, Pick<Rules, 'lossLimits'> {}

interface OfAccount {
  readonly account: number;
}

/** A field that is null does not matter. */
interface AccountsFilter extends Searched {
  /** A part of the name, in lower case. */
  readonly name: string | null;
  readonly tier: number | null;
  readonly frozen: boolean | null;
}
interface KeysFilter extends Searched {
  readonly account: number | null;
  readonly enabled: boolean | null;
  readonly expiresBeforeMs: number | null;
}
interface TransfersFilter extends Searched {
  readonly reference: string;
  /** 0 is the house. */
  readonly account: number | null;
}

/** Each property is a question that `EngineQueries` asks by its name. */
export class OperatorReads {
  constructor(private readonly sequencer: Sequencer) {}

  readonly account = ({ account }: OfAccount): Reply<AccountView> => ({
    result: this.#account(account),
    after: this.#seq(),
  });

  readonly key = ({ key }: { readonly key: number }): Reply<KeyView> => {
    const { engine } = this.sequencer;
    if (key < 1 || key > engine.keyCount) refuse('key_not_found', 'no such key');
    return { result: { ...engine.key(key) }, after: engine.seq };
  };

  /** By number. */
  readonly accounts = ({ name, tier, frozen, ...searched }: AccountsFilter): Slices<Slice<AccountView>> => {
    const { engine } = this.sequencer;
    const look = (account: number): AccountView | null => {
      const view = must(engine.account(account), `account ${account}`);
      if (tier !== null && view.tier !== tier) return null;
      if (frozen !== null && view.frozen !== frozen) return null;
      return name === null || view.name?.toLowerCase().includes(name) === true ? view : null;
    };
    return search(searched, engine.accountCount, look, this.#seq);
  };

  /** By number, those of an account by their place among them. */
  readonly keys = ({
    account,
    enabled,
    expiresBeforeMs,
    ...searched
  }: KeysFilter): Slices<Slice<KeyView>> => {
    const { engine } = this.sequencer;
    if (account !== null) this.#account(account);
    const own = account === null ? null : engine.keysOf(account);
    const look = (number: number): KeyView | null => {
      const view = own === null ? engine.key(number) : must(own[number - 1], 'key of the account');
      if (enabled !== null && view.enabled !== enabled) return null;
      if (expiresBeforeMs !== null && (view.expiresAtMs ?? Number.POSITIVE_INFINITY) >= expiresBeforeMs)
        return null;
      return { ...view };
    };
    return search(searched, own?.length ?? engine.keyCount, look, this.#seq);
  };

  /** Deposits and withdrawals with this reference. Number 1 is the house, account 0: the search begins at 1. */
  readonly transfers = ({
    reference,
    account,
    ...searched
  }: TransfersFilter): Slices<Slice<BalanceMoved>> => {
    const { engine } = this.sequencer;
    if (account !== null && account > 0) this.#account(account);
    const first = account ?? 0;
    const count = account === null ? engine.accountCount + 1 : 1;
    const look = (number: number): BalanceMoved | null => engine.transfer(first + number - 1, reference);
    return search(searched, count, look, this.#seq);
  };

  /** Those that are not settled. */
  readonly openRounds = (): Reply<OpenRounds> => {
    const { engine } = this.sequencer;
    const rounds = unfinishedRounds(engine).map(openRound);
    const { seq, lifecycleSeq } = engine;
    return { result: { rounds, seq, lifecycleSeq, timeMs: this.sequencer.stampMs() }, after: seq };
  };

  /** A page of an account's bets in memory. The archive must have come to `reachedSeq` for the rest of it. */
  readonly betsOfAccount = ({
    account,
    list,
  }: OfAccount & { readonly list: ListFields }): Reply<BetsReply & { readonly reachedSeq: number }> => {
    const { engine } = this.sequencer;
    this.#account(account);
    const reachedSeq = engine.accountTouchedSeq(account);
    // Bets show their round's state, so the round's last step must be durable, too.
    const after = Math.max(reachedSeq, engine.lifecycleSeq);
    return { result: { ...listOf(engine, account, list), reachedSeq }, after };
  };

  readonly accountSeq = ({ account }: OfAccount): Reply<number> => {
    this.#account(account);
    const seq = this.sequencer.engine.accountTouchedSeq(account);
    return { result: seq, after: seq };
  };

  readonly house = (): Reply<HouseTotals> => {
    const { engine } = this.sequencer;
    const { resultCents, liftedCents } = engine.dayResults(this.sequencer.stampMs());
    const { lossLimits } = must(engine.rules, 'rules');
    return { result: { ...engine.totals(), resultCents, liftedCents, lossLimits }, after: this.#seq() };
  };

  readonly #seq = (): number => this.sequencer.engine.seq;

  #account(account: number): AccountView {
    return this.sequencer.engine.account(account) ?? refuse('account_not_found', 'no such account');
  }
}

/**
 * Searches things that are numbered from 1. Each slice and each page looks at a bounded number: a page may have fewer
 * than asked for, even none, and says where to go on. `look` gives the view of a number, or null; `seq` is the command
 * to wait for.
 */
export function* search<T>(
  { after, limit }: Searched,
  count: number,
  look: (number: number) => T | null,
  seq: () => After,
): Slices<Slice<T>> {
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
    yield found.length === 0 && next === null ? null : { found, next };
  }
  return seq();
}

/** A copy, because the engine's own round changes with the next command. */
function openRound({ quote, proof: _, ...round }: RoundView) {
  return {
    ...round,
    /** The house's average result from its bets; null where the seeds are fixed. */
    edgeCents: quote?.edgeCents ?? null,
  };
}
