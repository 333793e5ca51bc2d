/** Where all money is. */
import type { Totals } from '../model/views.js';
import type { State } from '../state/state.js';

export const totals = ({ accounts, books, house, markets }: State): Totals => ({
  houseCents: house.balanceCents,
  accountsCents: accounts.totalCents,
  openStakesCents: markets.openStakesCents,
  openSeedsCents: markets.potsCents - markets.openStakesCents,
  reservedStakesCents: books.reservedCents,
  depositsCents: house.depositsCents,
  withdrawalsCents: house.withdrawalsCents,
});
