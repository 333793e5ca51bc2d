/**
 * Conservation of money (design, "Money"): house + account balances + open stakes + open seeds = deposits -
 * withdrawals. `faultOfTotals` compares the running sums of the engine with each other, after every batch.
 * `faultOfBooks` adds up all accounts and bets, which takes longer.
 */
import type { EngineReads } from '../../../engine/model/views.js';

/** What is wrong with the running sums, or null. */
export function faultOfTotals(engine: EngineReads): string | null {
  const { houseCents, accountsCents, openStakesCents, openSeedsCents, depositsCents, withdrawalsCents } =
    engine.totals();
  const held = houseCents + accountsCents + openStakesCents + openSeedsCents;
  const paidIn = depositsCents - withdrawalsCents;
  if (held === paidIn && houseCents >= 0) return null;
  return (
    `house ${houseCents} + accounts ${accountsCents} + open stakes ${openStakesCents} + open seeds ${openSeedsCents} = ` +
    `${held} cents, but deposits ${depositsCents} - withdrawals ${withdrawalsCents} = ${paidIn}`
  );
}

/** What is wrong with the sums of all accounts and all open bets, or null. */
export function faultOfBooks(engine: EngineReads): string | null {
  let accountsCents = 0;
  let openStakesCents = 0;
  for (let account = 1; account <= engine.accountCount; account++) {
    const balanceCents = engine.account(account)?.balanceCents ?? 0;
    if (balanceCents < 0) return `the balance of acc_${account} is ${balanceCents} cents`;
    accountsCents += balanceCents;
    for (const bet of engine.openPositions(account, Number.POSITIVE_INFINITY))
      openStakesCents += bet.stakeCents;
  }
  const totals = engine.totals();
  if (accountsCents !== totals.accountsCents) {
    return `the accounts' balances add up to ${accountsCents} cents, the engine's sum is ${totals.accountsCents}`;
  }
  if (openStakesCents !== totals.openStakesCents) {
    return `the open bets' stakes add up to ${openStakesCents} cents, the engine's sum is ${totals.openStakesCents}`;
  }
  return faultOfTotals(engine);
}
