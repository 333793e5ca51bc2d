/** Markets, their rounds and the queues of rounds in a snapshot. */
import { assert, must } from '../base/assert.js';
import {
  ASSETS,
  MARKET_IDS,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SETTLED,
  SETTLING,
} from '../model/domain.js';
import { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';
import {
  count,
  flag,
  hex,
  integer,
  object,
  oneOf,
  orNull,
  price,
  real,
  StateTable,
  shareE6,
  table,
  text,
  type ValuesOf,
} from './columns.js';

/** All null where there is no price yet. */
const ORIGIN = {
  priceTimeMs: orNull(integer),
  source: orNull(text),
  evidence: text,
  isLate: flag,
};

const STORED_ROUND = {
  market: oneOf(MARKET_IDS),
  roundNumber: count,
  status: oneOf(ROUND_STATUSES),
  result: oneOf(ROUND_RESULTS),
  startTimeMs: count,
  endTimeMs: count,
  lockTimeMs: count,
  bettingClosesMs: integer,
  maxPriceAgeMs: count,
  seedCents: count,
  feeBps: count,
  minStakeCents: count,
  maxStakeCents: count,
  slippageE2: count,
  openPrice: orNull(price),
  closePrice: orNull(price),
  poolUpCents: count,
  poolDownCents: count,
  payoutUpCents: count,
  payoutDownCents: count,
  betCount: count,
  volumeCents: count,
  paidCents: count,
  resolvedAtMs: orNull(count),
  voidReason: text,
  /** From 1 in order of settlement in this market; null until settled. */
  settledPosition: orNull(count),
  /** How the house quotes, in millionths, and the seeds in UP's pool; all null where its seeds are fixed. */
  quote: orNull(object({ shadeE6: count, clampE6: count, seedUpCents: count, edgeCents: count })),
  proof: object({
    open: orNull(object(ORIGIN, 'open_')),
    close: orNull(object(ORIGIN, 'close_')),
    firstShareE6: shareE6,
    lastShareE6: shareE6,
    leastShareE6: shareE6,
    greatestShareE6: shareE6,
    /** The Merkle root and its signature; all null until it is on record. */
    root: orNull(
      object({
        merkleRoot: hex(64),
        treeSize: count,
        keyId: hex(16),
        signature: hex(128),
        publishedAtMs: count,
      }),
    ),
  }),
};

/** Rounds in memory: per market the unsettled ones and the recently settled ones. */
export const ROUND = new StateTable('round', object(STORED_ROUND), {
  *from({ markets }) {
    for (const { rounds, settledNumbers } of markets.markets) {
      const positions = new Map(settledNumbers.map((roundNumber, index) => [roundNumber, index + 1]));
      for (const round of rounds.values())
        yield { ...round, settledPosition: positions.get(round.roundNumber) ?? null };
    }
  },
  into({ markets }, rows) {
    const settled: { round: Round; position: number }[] = [];
    for (const { settledPosition: position, ...stored } of rows) {
      const round = restored(stored);
      const { rounds } = markets.market(round.market);
      assert(!rounds.has(round.roundNumber), 'there is one row per round');
      rounds.set(round.roundNumber, round);
      assert((position !== null) === (round.status === SETTLED), 'only settled rounds have a position');
      if (position !== null) settled.push({ round, position });
    }
    settled.sort((a, b) => a.position - b.position);
    for (const { round, position } of settled) {
      const market = markets.market(round.market);
      market.keepSettled(round, Number.POSITIVE_INFINITY);
      assert(market.settledNumbers.length === position, 'the positions of settled rounds have no gap');
    }
  },
});

function restored(stored: Omit<ValuesOf<typeof STORED_ROUND>, 'settledPosition'>): Round {
  const { market, roundNumber, startTimeMs, quote, proof, ...figures } = stored;
  const id = roundId(market, roundNumber);
  const round = new Round(market, roundNumber, startTimeMs, stored);
  assert(round.endTimeMs === stored.endTimeMs, `${id} ends at the time its number implies`);
  const { root } = proof;
  assert(root === null || root.treeSize === stored.betCount, `the root of ${id} is over its bets`);
  Object.assign(round.proof, proof);
  return Object.assign(round, figures);
}

export const MARKET = table(
  'market',
  {
    market: oneOf(MARKET_IDS),
    suspendedSeq: count,
    currentRound: orNull(count),
    lastRound: orNull(count),
  },
  {
    from: ({ markets }) =>
      markets.markets.map(({ suspendedSeq, current, lastRoundNumber }, market) => ({
        market,
        suspendedSeq,
        currentRound: current?.roundNumber ?? null,
        lastRound: lastRoundNumber < 0 ? null : lastRoundNumber,
      })),
    into(state, values) {
      const { markets } = state;
      let rows = 0;
      for (const { market: index, suspendedSeq, currentRound, lastRound } of values) {
        assert(index === rows, 'markets are in order');
        rows += 1;
        const market = markets.market(index);
        assert(suspendedSeq <= state.seq, 'a market was suspended before');
        market.suspendedSeq = suspendedSeq;
        market.lastRoundNumber = lastRound ?? -1;
        if (currentRound === null) continue;
        market.current = roundNamed(state, { market: index, roundNumber: currentRound });
        assert(market.current.status < SETTLING, 'the current round has not ended');
      }
      assert(rows === markets.markets.length, 'there is one row per market');
      markets.refreshNextDue();
    },
  },
);

export const OPEN_PRICE = table(
  'open_price',
  {
    asset: oneOf(ASSETS),
    price,
    timeMs: count,
  },
  {
    from: ({ markets }) =>
      markets.latestOpenPrices.flatMap((open, asset) => (open === null ? [] : [{ asset, ...open }])),
    into({ markets }, rows) {
      for (const open of rows)
        markets.latestOpenPrices[open.asset] = { price: open.price, timeMs: open.timeMs };
    },
  },
);

export const ESTIMATE = table(
  'estimate',
  {
    asset: oneOf(ASSETS),
    fast: real,
    slow: real,
    products: real,
    squares: real,
    changes: real,
    intervals: real,
    intervalSquares: real,
    leastNow: real,
    leastBefore: real,
    changesNow: count,
  },
  {
    from: ({ estimates }) =>
      estimates.flatMap((estimate, asset) => (estimate === null ? [] : [{ asset, ...estimate }])),
    into({ estimates }, rows) {
      for (const { asset, ...estimate } of rows) estimates[asset] = estimate;
    },
  },
);

const ROUND_NAME = { market: oneOf(MARKET_IDS), roundNumber: count };

function roundNamed({ markets }: State, { market, roundNumber }: ValuesOf<typeof ROUND_NAME>): Round {
  return must(markets.market(market).rounds.get(roundNumber), `round ${roundId(market, roundNumber)}`);
}

export const AWAITING_PRICE = table('awaiting_price', ROUND_NAME, {
  from: ({ markets }) => markets.awaitingPrice,
  into(state, rows) {
    for (const name of rows) state.markets.awaitingPrice.push(roundNamed(state, name));
  },
});

/** Resolved rounds with bets left to settle, in order of settlement. Read when the bets are linked to their rounds. */
export const SETTLING_ROUND = table(
  'settling_round',
  {
    ...ROUND_NAME,
    /** The next bet to settle, those before it in the round are settled; 0 if the round has resting orders only. */
    nextBet: count,
  },
  {
    from: ({ bets, markets }) =>
      markets.settling.map(({ market, roundNumber, nextToSettle }) => ({
        market,
        roundNumber,
        nextBet: bets.betOf(nextToSettle),
      })),
    into(state, rows) {
      for (const stored of rows) {
        const round = roundNamed(state, stored);
        round.nextToSettle = round.firstBet;
        assert(
          state.bets.betOf(round.firstBet) === stored.nextBet,
          'a settlement continues at the first open bet',
        );
        state.markets.settling.push(round);
      }
    },
  },
);
