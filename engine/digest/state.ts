/**
 * SHA-256 over the whole state in a canonical order, for tests, snapshots and `verify`. It covers content only, not
 * where a row is in memory or what has expired.
 */
import { must } from '../base/assert.js';
import { NO_LIMIT, SETTLED } from '../model/domain.js';
import type { NewHasher } from '../model/ports.js';
import type { BetView } from '../model/views.js';
import { openPositions, orders } from '../reads/bets.js';
import type { IdempotencyEntry } from '../state/idempotency.js';
import { lateBets } from '../state/late-bets.js';
import type { State } from '../state/state.js';

/** The entry percent and client seed of bets before `entriesFrom` are left out. */
export function stateDigest(
  state: State,
  rollingDigest: string,
  newHasher: NewHasher,
  entriesFrom: number,
): string {
  const hasher = newHasher();
  const line = (...values: unknown[]) => hasher.update(`${JSON.stringify(values)}\n`);
  line('engine', state.seq, state.timeMs, state.lifecycleSeq, rollingDigest, state.rulesVersion, state.rules);
  line('settings', state.trading, state.sessions, state.bets.placedCount, state.bets.retainedCount);
  // Only if declared: golden directories contain digests from before setups existed.
  if (state.setup !== null) line('setup', state.setup.feed, state.setup.clock, state.setup.rulesFrom);
  line('house', state.house.balanceCents, state.house.depositsCents, state.house.withdrawalsCents);
  for (const record of state.house.records()) line('reference', record.seq, record.event);
  digestAccounts(state, line, entriesFrom);
  digestMarkets(state, line);
  if (state.rules !== null) {
    for (const entry of state.idempotency.entries(state.timeMs, state.rules.idempotencyTtlMs)) {
      digestIdempotency(entry, line);
    }
  }
  return hasher.digestHex();
}

type Line = (...values: unknown[]) => void;

/** Without what is known only since bets keep their entry or there are limits: golden directories have digests from before. */
const withoutEntry = ({
  entryPercentE2: _,
  clientSeed: __,
  limitOddsE4: ___,
  filledAtMs: ____,
  rested: _____,
  ...facts
}: BetView): object => facts;

function digestAccounts(state: State, line: Line, entriesFrom: number): void {
  for (let account = 1; account <= state.accounts.count; account++) {
    line('account', state.accounts.view(account), state.accounts.touchedSeq(account));
    // Open and recently placed bets. The recently settled ones follow.
    line('open', openPositions(state, account, Number.POSITIVE_INFINITY).map(withoutEntry));
    const placed = orders(state, account, Number.POSITIVE_INFINITY);
    line('placed', placed.map(withoutEntry));
    const limits = placed.filter(({ limitOddsE4 }) => limitOddsE4 !== NO_LIMIT);
    if (limits.length > 0)
      line('limits', ...limits.map(({ bet, limitOddsE4, filledAtMs }) => [bet, limitOddsE4, filledAtMs]));
    const entries = placed.filter(({ bet }) => bet >= entriesFrom);
    if (entries.length > 0)
      line(
        'entries',
        ...entries.map(({ bet, entryPercentE2, clientSeed }) => [bet, entryPercentE2, clientSeed]),
      );
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
    const { account, scopesMask, expiresAtMs, createdAtMs, enabled } = state.keys.view(key);
    const digest = state.keys.digest(key);
    // The order of fields is frozen: golden directories contain digests made with it.
    line('key', { account, digest, scopesMask, expiresAtMs, createdAtMs, key, enabled }, digest);
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
      const { quote, proof, ...facts } = round;
      // Bet rows are memory locations; the bets themselves are covered with their accounts.
      line('round', { ...facts, firstBet: 0, lastBet: 0, nextToSettle: round.nextToSettle !== 0 });
      // Only if the house quotes: golden directories contain digests from before it did.
      if (quote !== null) line('quote', quote);
      // The same of proofs.
      if (proof !== null) line('proof', proof);
      const late = round.status === SETTLED ? [] : [...lateBets(state, round)];
      if (late.length > 0) line('late', late);
    }
  }
  line('awaiting', ...markets.awaitingPrice.map((round) => [round.market, round.roundNumber]));
  line('settling', ...markets.settling.map((round) => [round.market, round.roundNumber]));
}

/** The fields and their order are those of the days before limit orders: golden directories contain digests made with them. */
function digestIdempotency({ digest, seq, placed }: IdempotencyEntry, line: Line): void {
  const { type, clientSeed, limitOddsE4, filled, ...facts } = placed;
  line({ digest, seq, placed: { type: 'betPlaced', ...facts, clientSeed } });
  if (limitOddsE4 !== NO_LIMIT || filled !== null) line('limit order', type, limitOddsE4, filled);
}
