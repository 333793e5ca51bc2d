/**
 * Conservation of money: house + account balances + open stakes + open seeds + reserved stakes of resting
 * orders = deposits - withdrawals. `faultOfTotals` compares the running sums of the engine with each other, after every batch.
 * `faultOfBooks` adds up all accounts and bets, which takes longer.
 */
import type { EngineReads } from '../../../engine/model/views.js';

/** What is wrong with the running sums, or null. */
export function faultOfTotals(engine: EngineReads): string | null {
  const { houseCents, accountsCents, openStakesCents, openSeedsCents, reservedStakesCents, ...moved } =
    engine.totals();
  const { depositsCents, withdrawalsCents } = moved;
  const held = houseCents + accountsCents + openStakesCents + openSeedsCents + reservedStakesCents;
  const paidIn = depositsCents - withdrawalsCents;
  if (held === paidIn && houseCents >= 0) return null;
  return (
    `house ${houseCents} + accounts ${accountsCents} + open stakes ${openStakesCents} + open seeds ${openSeedsCents} + ` +
    `reserved stakes ${reservedStakesCents} = ${held} cents, but deposits ${depositsCents} - withdrawals ${withdrawalsCents} = ${paidIn}`
  );
}

/** What is wrong with the sums of all accounts and all open bets, or null. */
export function faultOfBooks(engine: EngineReads): string | null {
  let accountsCents = 0;
  let openStakesCents = 0;
  let reservedStakesCents = 0;
  for (let account = 1; account <= engine.accountCount; account++) {
    const balanceCents = engine.account(account)?.balanceCents ?? 0;
    if (balanceCents < 0) return `the balance of acc_${account} is ${balanceCents} cents`;
    accountsCents += balanceCents;
    for (const { status, stakeCents } of engine.openPositions(account, Number.POSITIVE_INFINITY)) {
      if (status === 'PENDING') reservedStakesCents += stakeCents;
      else openStakesCents += stakeCents;
    }
  }
  const totals = engine.totals();
  if (accountsCents !== totals.accountsCents) {
    return `the accounts' balances add up to ${accountsCents} cents, the engine's sum is ${totals.accountsCents}`;
  }
  if (openStakesCents !== totals.openStakesCents) {
    return `the open bets' stakes add up to ${openStakesCents} cents, the engine's sum is ${totals.openStakesCents}`;
  }
  if (reservedStakesCents !== totals.reservedStakesCents) {
    return `the resting orders' stakes add up to ${reservedStakesCents} cents, the engine's sum is ${totals.reservedStakesCents}`;
  }
  return faultOfTotals(engine);
}
