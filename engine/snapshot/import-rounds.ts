/** Imports markets, their rounds and the queues of rounds. */
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
  countOf,
  enumReader,
  flagOf,
  integerOf,
  integerOrNullOf,
  priceOf,
  priceOrNullOf,
  textOf,
} from './cells.js';
import { type Cell, positionsOf, type ReadTable, type Row } from './form.js';
import { AWAITING_PRICE, MARKET, OPEN_PRICE, ROUND, SETTLING_ROUND } from './market-tables.js';
import { proofFrom } from './proofs.js';

type Read = Cell | undefined;

const AT = positionsOf(ROUND);

const marketOf = enumReader(MARKET_IDS);
const statusOf = enumReader(ROUND_STATUSES);
const resultOf = enumReader(ROUND_RESULTS);
const assetOf = enumReader(ASSETS);

/** `import-bets.ts` sets where settlements continue. */
export function importMarkets(state: State, read: ReadTable): void {
  const { markets } = state;
  importRounds(state, read(ROUND.name));
  const marketRows = [...read(MARKET.name)];
  assert(marketRows.length === markets.markets.length, 'there is one row per market');
  marketRows.forEach(([name, suspended, currentRound, lastRound], index) => {
    assert(marketOf(name) === index, 'markets are in order');
    const market = markets.market(index);
    market.suspended = flagOf(suspended);
    market.lastRoundNumber = integerOrNullOf(lastRound) ?? -1;
    if (currentRound === null) return;
    market.current = roundOf(state, name, currentRound);
    assert(market.current.status < SETTLING, 'the current round has not ended');
  });
  for (const [name, roundNumber] of read(AWAITING_PRICE.name)) {
    markets.awaitingPrice.push(roundOf(state, name, roundNumber));
  }
  for (const [name, roundNumber] of read(SETTLING_ROUND.name)) {
    markets.settling.push(roundOf(state, name, roundNumber));
  }
  for (const [asset, price, timeMs] of read(OPEN_PRICE.name)) {
    markets.latestOpenPrices[assetOf(asset)] = { price: priceOf(price), timeMs: countOf(timeMs) };
  }
  markets.refreshNextDue();
}

function roundOf({ markets }: State, name: Read, roundNumber: Read): Round {
  const round = markets.market(marketOf(name)).rounds.get(integerOf(roundNumber));
  return must(round, `round ${name}_${roundNumber}`);
}

function importRounds({ markets }: State, rows: Iterable<Row>): void {
  const settled: { round: Round; position: number }[] = [];
  for (const row of rows) {
    const round = roundFrom(row);
    const market = markets.market(round.market);
    assert(!market.rounds.has(round.roundNumber), 'there is one row per round');
    market.rounds.set(round.roundNumber, round);
    const position = integerOrNullOf(row[AT.settled_position]);
    assert((position !== null) === (round.status === SETTLED), 'only settled rounds have a position');
    if (position !== null) settled.push({ round, position });
  }
  settled.sort((a, b) => a.position - b.position);
  for (const { round, position } of settled) {
    const market = markets.market(round.market);
    market.keepSettled(round, Number.POSITIVE_INFINITY);
    assert(market.settledNumbers.length === position, 'the positions of settled rounds have no gap');
  }
}

function roundFrom(row: Row): Round {
  const [name, roundNumber, status, result, startTimeMs, endTimeMs, lockTimeMs, bettingClosesMs] = row;
  const [maxPriceAgeMs, seedCents, feeBps, minStakeCents, maxStakeCents, slippageE2] = row.slice(
    AT.max_price_age_ms,
  );
  const [openPrice, closePrice, poolUpCents, poolDownCents, payoutUpCents, payoutDownCents] = row.slice(
    AT.open_price,
  );
  const [betCount, volumeCents, paidCents, resolvedAtMs, voidReason] = row.slice(AT.bet_count);
  const id = roundId(marketOf(name), countOf(roundNumber));
  const [shadeE6 = null, clampE6, seedUpCents, edgeCents] = row.slice(AT.shade_e6);
  const isFixed = shadeE6 === null;
  const round = new Round(
    marketOf(name),
    countOf(roundNumber),
    countOf(startTimeMs),
    {
      lockLeadMs: countOf(endTimeMs) - countOf(lockTimeMs),
      maxPriceAgeMs: countOf(maxPriceAgeMs),
      minStakeCents: countOf(minStakeCents),
      maxStakeCents: countOf(maxStakeCents),
      house: {
        policy: isFixed ? 'fixed' : 'fair',
        seedCents: countOf(seedCents),
        shadeE6: isFixed ? 0 : countOf(shadeE6),
        clampE6: isFixed ? 0 : countOf(clampE6),
      },
    },
    {
      cutoffMs: countOf(lockTimeMs) - integerOf(bettingClosesMs),
      feeBps: countOf(feeBps),
      slippageE2: countOf(slippageE2),
    },
  );
  assert(round.endTimeMs === endTimeMs, `${id} ends at the time its number implies`);
  if (round.quote !== null) {
    round.quote.seedUpCents = countOf(seedUpCents);
    round.quote.edgeCents = countOf(edgeCents);
  } else
    assert(
      [clampE6, seedUpCents, edgeCents].every((cell) => cell === null),
      'a quote is there or is not',
    );
  Object.assign(round.proof, proofFrom(row));
  const { root } = round.proof;
  assert(root === null || root.treeSize === betCount, `the root of ${id} is over its bets`);
  return Object.assign(round, {
    status: statusOf(status),
    result: resultOf(result),
    openPrice: priceOrNullOf(openPrice),
    closePrice: priceOrNullOf(closePrice),
    poolUpCents: countOf(poolUpCents),
    poolDownCents: countOf(poolDownCents),
    payoutUpCents: countOf(payoutUpCents),
    payoutDownCents: countOf(payoutDownCents),
    betCount: countOf(betCount),
    volumeCents: countOf(volumeCents),
    paidCents: countOf(paidCents),
    resolvedAtMs: integerOrNullOf(resolvedAtMs),
    voidReason: textOf(voidReason),
  });
}
