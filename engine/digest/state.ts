/**
 * SHA-256 over the whole state in a canonical order, for tests, snapshots and `verify`. It covers content only, not
 * where a row is in memory or what has expired.
 */
import { must } from '../base/assert.js';
import { restingOf } from '../handlers/limit-orders.js';
import { SETTLED } from '../model/domain.js';
import type { NewHasher } from '../model/ports.js';
import { openPositions, orders } from '../reads/bets.js';
import { lateBets } from '../state/late-bets.js';
import type { State } from '../state/state.js';

export function stateDigest(state: State, rollingDigest: string, newHasher: NewHasher): string {
  const hasher = newHasher();
  const line = (...values: unknown[]) => hasher.update(`${JSON.stringify(values)}\n`);
  line('engine', state.seq, state.timeMs, state.lifecycleSeq, rollingDigest, state.rulesVersion, state.rules);
  line('settings', state.trading, state.sessions, state.bets.placedCount, state.bets.retainedCount);
  line('setup', state.setup);
  line('estimates', state.estimates);
  line('house', state.house.balanceCents, state.house.depositsCents, state.house.withdrawalsCents);
  line('day', state.day);
  for (const record of state.house.records()) line('reference', record.seq, record.event);
  digestAccounts(state, line);
  digestMarkets(state, line);
  if (state.rules !== null) {
    for (const entry of state.idempotency.entries(state.timeMs, state.rules.idempotencyTtlMs)) {
      line('remembered', entry.digest, entry.seq, entry.placed);
    }
  }
  return hasher.digestHex();
}

type Line = (...values: unknown[]) => void;

function digestAccounts(state: State, line: Line): void {
  for (let account = 1; account <= state.accounts.count; account++) {
    line('account', state.accounts.view(account), state.accounts.touchedSeq(account));
    line('open', openPositions(state, account, Number.POSITIVE_INFINITY));
    line('placed', orders(state, account, Number.POSITIVE_INFINITY));
    const resting = restingOf(state, account, Number.POSITIVE_INFINITY);
    line('resting', ...resting.map((row) => state.bets.keyOf(row)));
    const settled: number[] = [];
    for (let row = state.history.newestSettled(account); row !== 0; ) {
      const chunk = state.bets.chunk(row);
      const i = state.bets.index(row);
      settled.push(
        must(chunk.bet[i], 'bet'),
        must(chunk.settledAtMs[i], 'bet'),
        must(chunk.changedSeq[i], 'bet'),
      );
      row = must(chunk.settledOlder[i], 'bet');
    }
    line('settled', settled);
  }
  for (let key = 1; key <= state.keys.count; key++) {
    line('key', state.keys.view(key), state.keys.digest(key));
  }
}

function digestMarkets(state: State, line: Line): void {
  const { markets } = state;
  line('markets', markets.potsCents, markets.openStakesCents, markets.latestOpenPrices);
  for (const market of markets.markets) {
    line(
      'market',
      market.rules,
      market.suspended,
      market.current?.roundNumber ?? null,
      market.lastRoundNumber,
    );
    for (const round of market.rounds.values()) {
      // Rows are memory locations; the bets themselves are covered with their accounts.
      line('round', { ...round, firstBet: 0, lastBet: 0, nextToSettle: round.nextToSettle !== 0 });
      const late = round.status === SETTLED ? [] : [...lateBets(state, round)];
      if (late.length > 0) line('late', late);
    }
  }
  line('awaiting', ...markets.awaitingPrice.map((round) => [round.market, round.roundNumber]));
  line('settling', ...markets.settling.map((round) => [round.market, round.roundNumber]));
}
