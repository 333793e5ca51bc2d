/** One round and its bets. */
import type { JSX } from 'preact';
import { Bets } from '../parts/lists.js';
import { marketName } from '../state/format.js';
import { linkTo } from '../state/route.js';

export function RoundView({ market, id }: { readonly market: string; readonly id: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('markets')}>Markets</a> / <a href={linkTo('markets', market)}>{marketName(market)}</a>
      </p>
      <h1>Round {id}</h1>
      <Bets query={`roundId=${encodeURIComponent(id)}`} withAccount={true} />
    </>
  );
}
