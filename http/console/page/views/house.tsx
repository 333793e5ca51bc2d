/** The house: what it has, and where all the money is. */
import type { JSX } from 'preact';
import { depositHouse } from '../actions/control.js';
import { Badge, Figure, Figures, Loading } from '../parts/basics.js';
import { usd } from '../state/format.js';
import { live } from '../state/live.js';
import { may } from '../state/session.js';

export function HouseView(): JSX.Element {
  const message = live.value;
  return (
    <>
      <h1>House</h1>
      {may('admin') && (
        <div class="buttons start">
          <button type="button" onClick={() => depositHouse()}>
            Add capital
          </button>
        </div>
      )}
      {message === null ? <Loading error="" /> : <Books totals={message.totals} />}
    </>
  );
}

type Totals = NonNullable<typeof live.value>['totals'];

/** The equation of the books holds after every command (design, section 2). */
function Books({ totals }: { readonly totals: Totals }): JSX.Element {
  const { houseCents, accountsCents, openStakesCents, openSeedsCents, depositsCents, withdrawalsCents } =
    totals;
  const held = houseCents + accountsCents + openStakesCents + openSeedsCents;
  const isWhole = held === depositsCents - withdrawalsCents;
  return (
    <section>
      <h2>Where the money is</h2>
      <Figures>
        <Figure name="House balance">{usd(houseCents)}</Figure>
        <Figure name="Seeds in open rounds">{usd(openSeedsCents)}</Figure>
        <Figure name="Balances of accounts">{usd(accountsCents)}</Figure>
        <Figure name="Stakes of open bets">{usd(openStakesCents)}</Figure>
        <Figure name="All deposits">{usd(depositsCents)}</Figure>
        <Figure name="All withdrawals">{usd(withdrawalsCents)}</Figure>
      </Figures>
      <p>
        {isWhole ? (
          <Badge tone="good">the books balance</Badge>
        ) : (
          <Badge tone="bad">the books do not balance</Badge>
        )}{' '}
        House, seeds, balances and stakes are {usd(held)}; deposits less withdrawals are{' '}
        {usd(depositsCents - withdrawalsCents)}.
      </p>
    </section>
  );
}
