/**
 * Builds the engine's state from the tables of a snapshot. It uses the same methods as commands do (add an account,
 * move money, add a key), so their assertions apply; then `check.ts` verifies every sum and count. Any mismatch is an
 * AssertionError: a wrong snapshot is refused, not served.
 */
import { assert, must } from '../base/assert.js';
import { setRulesInForce, setSetup } from '../handlers/settings.js';
import { ASSET_CLASSES, TIERS } from '../model/domain.js';
import type { BalanceMoved } from '../model/events.js';
import type { Rules } from '../model/rules.js';
import { SETUP_FACTS, type Setup } from '../model/setup.js';
import { HOUSE } from '../state/house.js';
import { type Sessions, State } from '../state/state.js';
import { countOf, enumReader, flagOf, integerOf, integerOrNullOf, textOf, textOrNullOf } from './cells.js';
import { checkState, type Sums } from './check.js';
import { positionsOf, type ReadTable, type Row } from './form.js';
import { importBets, importIdempotency } from './import-bets.js';
import { importMarkets } from './import-rounds.js';
import { ACCOUNT, API_KEY, ENGINE, MARKET_HOURS, SETUP, TRANSFER } from './tables.js';

export interface Imported {
  readonly state: State;
  /** Of all outcomes up to the state, 16 hex digits. */
  readonly rollingDigest: string;
}

export function importTables(read: ReadTable): Imported {
  const state = new State();
  const [row, ...others] = [...read(ENGINE.name)];
  assert(others.length === 0, 'there is one engine row');
  const { rollingDigest, betsPlaced, betsRetained, ...sums } = importEngine(state, must(row, 'engine'));
  importSetup(state, read(SETUP.name));
  importHours(state, read(MARKET_HOURS.name));
  const openBets = importAccounts(state, read(ACCOUNT.name));
  importKeys(state, read(API_KEY.name));
  importTransfers(state, read(TRANSFER.name));
  importMarkets(state, read);
  importBets(state, read, betsRetained);
  state.bets.skipNumbersTo(betsPlaced);
  importIdempotency(state, read);
  checkState(state, sums);
  openBets.forEach((count, index) => {
    assert(state.accounts.openBets(index + 1) === count, `account ${index + 1} has ${count} open bets`);
  });
  return { state, rollingDigest };
}

interface EngineFacts extends Sums {
  readonly rollingDigest: string;
  readonly betsPlaced: number;
  readonly betsRetained: number;
}

function importEngine(state: State, row: Row): EngineFacts {
  const [seq, timeMs, lifecycleSeq, rollingDigest, rulesVersion, rules, tradingEnabled, tradingReason] = row;
  const [betsPlaced, houseCents, depositsCents, withdrawalsCents, ...sums] = row.slice(
    positionsOf(ENGINE).bets_placed,
  );
  const [accountsCents, potsCents, openStakesCents, accounts, keys, betsRetained] = sums;
  state.seq = countOf(seq);
  state.timeMs = countOf(timeMs);
  state.lifecycleSeq = countOf(lifecycleSeq);
  if (rules !== null) setRulesInForce(state, parseRules(textOrNullOf(rules)), countOf(rulesVersion));
  state.trading = { enabled: flagOf(tradingEnabled), reason: textOf(tradingReason) };
  state.house.move(countOf(houseCents));
  state.house.depositsCents = countOf(depositsCents);
  state.house.withdrawalsCents = countOf(withdrawalsCents);
  return {
    rollingDigest: textOf(rollingDigest),
    betsPlaced: countOf(betsPlaced),
    betsRetained: countOf(betsRetained),
    accountsCents: countOf(accountsCents),
    potsCents: countOf(potsCents),
    openStakesCents: countOf(openStakesCents),
    accounts: countOf(accounts),
    keys: countOf(keys),
  };
}

/** The engine wrote this text, and the snapshot's checksum has been verified. */
function parseRules(text: string | null): Rules {
  return JSON.parse(must(text, 'rules')) as Rules;
}

function importSetup(state: State, rows: Iterable<Row>): void {
  const facts = [...rows].map(([name, value]) => [textOf(name), textOf(value)] as const);
  if (facts.length === 0) return;
  const names = facts.map(([name]) => name).join();
  assert(names === SETUP_FACTS.join(), 'the setup has each of its facts once');
  setSetup(state, Object.fromEntries(facts) as unknown as Setup);
}

const assetClassOf = enumReader(ASSET_CLASSES);

function importHours(state: State, rows: Iterable<Row>): void {
  for (const [assetClass, openMs, closeMs] of rows) {
    const index = assetClassOf(assetClass);
    const before: Sessions = state.sessions[index] ?? [];
    const hours = openMs === null ? [] : [[integerOf(openMs), integerOf(closeMs)] as const];
    state.sessions[index] = [...before, ...hours];
  }
}

const tierOf = enumReader(TIERS);

/** Returns the number of open bets stored for each account; the bets are imported later. */
function importAccounts({ accounts }: State, rows: Iterable<Row>): number[] {
  const openBetsOf: number[] = [];
  for (const [number, name, tier, balanceCents, frozen, touchedSeq, openBets] of rows) {
    const account = accounts.add(textOrNullOf(name), tierOf(tier));
    assert(account === number, 'accounts are numbered without a gap');
    accounts.move(account, integerOf(balanceCents), countOf(touchedSeq));
    accounts.setFrozen(account, flagOf(frozen));
    openBetsOf.push(countOf(openBets));
  }
  return openBetsOf;
}

function importKeys(state: State, rows: Iterable<Row>): void {
  for (const [number, owner, digest, scopesMask, enabled, expiresAtMs, createdAtMs] of rows) {
    const account = integerOf(owner);
    assert(state.accounts.has(account), 'a key belongs to an account');
    const key = state.keys.add({
      account,
      digest: textOf(digest),
      scopesMask: countOf(scopesMask),
      expiresAtMs: integerOrNullOf(expiresAtMs),
      createdAtMs: countOf(createdAtMs),
    });
    assert(key === number, 'keys are numbered without a gap');
    if (!flagOf(enabled)) state.keys.setEnabled(key, false);
  }
}

function importTransfers(state: State, rows: Iterable<Row>): void {
  for (const [owner, reference, seq, timeMs, amount, balanceCents] of rows) {
    const account = integerOf(owner);
    assert(account === HOUSE || state.accounts.has(account), 'a transfer belongs to an account');
    const amountCents = integerOf(amount);
    const event: BalanceMoved = {
      type: 'balanceMoved',
      timeMs: countOf(timeMs),
      account,
      amountCents,
      balanceCents: countOf(balanceCents),
      reason: amountCents > 0 ? 'deposit' : 'withdrawal',
      reference: textOf(reference),
    };
    state.house.remember({ seq: countOf(seq), event });
  }
}
