/**
 * Everything that can be read of an engine, as plain data, so that two engines can be compared. Views may be windows
 * on live objects: each field of their type is copied here.
 */
import typia from 'typia';
import type { EngineReads } from '../../../engine/engine.js';
import { ALL_BETS, type BetsPage, type BetsQuery } from '../../../engine/model/bet-pages.js';
import { ASSET_CLASSES, ASSETS } from '../../../engine/model/domain.js';
import type { DayResults } from '../../../engine/model/loss-limits.js';
import type { AccountView, BetView, KeyView, RoundView, Totals } from '../../../engine/model/views.js';

const plainRound = typia.misc.createClone<RoundView | null>();
const plainBet = typia.misc.createClone<BetView>();
const plainAccount = typia.misc.createClone<AccountView | null>();
const plainKey = typia.misc.createClone<KeyView>();
const plainTotals = typia.misc.createClone<Totals>();
const plainDay = typia.misc.createClone<DayResults>();

/** It grows with the stream, so that a read of something long gone is compared too. */
export interface Scope {
  readonly markets: readonly number[];
  readonly assets: readonly number[];
  /** `[market, roundNumber]` of rounds that were ever spoken of. */
  readonly rounds: readonly (readonly [number, number])[];
  readonly limits: readonly number[];
  readonly timesMs: readonly number[];
}

/** A page's bets are compared, not where the next one begins. */
interface ComparedReads extends EngineReads {
  betsPage(account: number, query: BetsQuery): Pick<BetsPage, 'bets'>;
  changesPage(account: number, limit: number): Pick<BetsPage, 'bets'>;
}

export const everything = (limit: number): BetsQuery => ({ ...ALL_BETS, from: null, rest: null, limit });

export function readAll(engine: ComparedReads, scope: Scope): Record<string, unknown> {
  return { ...readWhole(engine, scope), markets: readMarkets(engine, scope), ...readAccounts(engine, scope) };
}

function readWhole(engine: EngineReads, scope: Scope): Record<string, unknown> {
  return {
    seq: engine.seq,
    timeMs: engine.timeMs,
    lifecycleSeq: engine.lifecycleSeq,
    nextDueMs: String(engine.nextDueMs),
    settlementsWaiting: engine.settlementsWaiting,
    restingOrders: engine.restingOrders,
    nextExpiryMs: String(engine.nextExpiryMs),
    rulesVersion: engine.rulesVersion,
    setup: engine.setup,
    trading: { enabled: engine.trading.enabled, reason: engine.trading.reason },
    accountCount: engine.accountCount,
    bets: [engine.betsPlaced, engine.betsRetained],
    keyCount: engine.keyCount,
    totals: plainTotals(engine.totals()),
    unsettledRounds: engine.unsettledRounds().map((round) => plainRound(round)),
    rounds: scope.rounds.map(([market, roundNumber]) => plainRound(engine.round(market, roundNumber))),
    sessions: ASSET_CLASSES.map((_, index) => engine.sessions(index)),
    openPrices: ASSETS.map((_, asset) => {
      const open = engine.latestOpenPrice(asset);
      return open === null ? null : [open.price, open.timeMs];
    }),
    day: plainDay(engine.dayResults(engine.timeMs)),
    estimates: ASSETS.map((_, asset) => engine.estimate(asset)),
    vacant: scope.assets.map((asset) => scope.timesMs.map((timeMs) => engine.vacantMarkets(asset, timeMs))),
  };
}

function readMarkets(engine: EngineReads, scope: Scope): unknown {
  return scope.markets.map((market) => ({
    market,
    rules: engine.marketRules(market),
    suspendedSeq: engine.suspendedSeq(market),
    isFillable: engine.isFillable(market, 500_000, engine.timeMs),
    current: plainRound(engine.currentRound(market)),
  }));
}

function readAccounts(engine: ComparedReads, scope: Scope): Record<string, unknown> {
  const numbers = Array.from({ length: engine.accountCount }, (_, index) => index + 1);
  const keys = Array.from({ length: engine.keyCount }, (_, index) => index + 1);
  return {
    keyDigests: keys.map((key) => engine.keyDigest(key)),
    unknownAccount: plainAccount(engine.account(engine.accountCount + 1)),
    accounts: numbers.map((account) => ({
      view: plainAccount(engine.account(account)),
      touchedSeq: engine.accountTouchedSeq(account),
      keys: engine.keysOf(account).map((key) => plainKey(key)),
      sameKeys: engine.keysOf(account).map(({ key }) => plainKey(engine.key(key))),
      sums: engine.openSums(account),
      open: engine.openPositions(account).map(plainBet),
      lists: scope.limits.map((limit) => ({
        limit,
        byChange: engine.changesPage(account, limit).bets.map(plainBet),
        byPlacement: engine.betsPage(account, everything(limit)).bets.map(plainBet),
      })),
    })),
  };
}
