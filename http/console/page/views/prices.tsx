/** The prices with their age and their sources, and the line of one of them. */
import type { JSX } from 'preact';
import type { Asset } from '../../../../engine/model/domain.js';
import type { PriceHistoryResource } from '../../../operator/figures/price-history.js';
import type { Status } from '../../../operator/queries/status.js';
import type { MarketNow } from '../../live-message.js';
import { confirmPrice } from '../actions/control.js';
import { Act } from '../parts/action.js';
import { Badge } from '../parts/basics.js';
import { Table } from '../parts/list.js';
import { Query, type Shows } from '../parts/loaded.js';
import { Plot } from '../parts/plot.js';
import { duration, priceText, timeText } from '../state/format.js';

/** Rounds are voided where the price at their end is older. */
const OLD_MS = 10_000;

export const Prices = ({ of: { feed }, reload }: Shows<Status>): JSX.Element => (
  <>
    <Table
      caption="Prices"
      rows={Object.entries(feed.ticks)}
      columns={[
        ['Asset', ([crypto]) => crypto],
        ['#Price', ([, tick]) => priceText(tick?.price)],
        ['#Age', ([, tick]) => ageOf(tick)],
        ['Source', ([, tick]) => tick?.source ?? '–'],
        ['Lateness', ([crypto]) => latenessText(feed.sources, crypto)],
      ]}
    />
    {Object.entries(feed.held).map(([crypto, { price, source, since }]) => (
      <p key={crypto}>
        <Badge tone="warn">held back</Badge> {priceText(price)} of {crypto} from {source}, since{' '}
        {timeText(since)} UTC.{' '}
        <Act action={confirmPrice(crypto, price, feed.ticks[crypto]?.price ?? null)} onDone={reload} />
      </p>
    ))}
    {feed.awaited.map(({ crypto, boundary, until }) => (
      <p key={crypto + boundary}>
        Rounds of {crypto} wait for the price at {timeText(boundary)}. It is taken until {timeText(until)}{' '}
        UTC.
      </p>
    ))}
    <p class="quiet">The feed is {feed.name}.</p>
    {feed.sources.map(({ name, connection: { state, lastEnd } }) => (
      <p key={name}>
        <Badge tone={state === 'connected' ? 'good' : 'warn'}>{state}</Badge> {name}
        {state !== 'connected' && lastEnd !== null && `: ${lastEnd}`}
      </p>
    ))}
  </>
);

/** By source. */
function latenessText(sources: Status['feed']['sources'], crypto: string): string {
  const measured = sources.flatMap(({ name, latenessMs }) => {
    const ms = latenessMs[crypto as Asset];
    return typeof ms === 'number' ? [`${name} ${duration(ms)}`] : [];
  });
  return measured.join(', ') || '–';
}

function ageOf(tick: Status['feed']['ticks'][string] | null): JSX.Element | string {
  if (tick === null) return '–';
  const age = duration(Math.max(0, tick.ageMs));
  return tick.ageMs > OLD_MS ? <Badge tone="warn">{age}</Badge> : age;
}

/** The server notes prices so often. */
const NOTED_EVERY_MS = 5_000;

export const PricePlot = ({ asset, price, round }: MarketNow): JSX.Element => (
  <Query<PriceHistoryResource> path={`/prices/${asset}/history`} everyMs={NOTED_EVERY_MS}>
    {({ timesMs, prices }) => {
      if (prices.length === 0) return <p class="quiet">No price has come since the start.</p>;
      const [low, high] = [Math.min(...prices), Math.max(...prices)].map(priceText);
      const open = timesMs.map((timeMs) =>
        round !== null && timeMs >= round.startTimeMs ? round.openPrice : null,
      );
      const since = timeText(timesMs[0] ?? null).slice(11, 16);
      return (
        <Plot
          title={`${priceText(price)} now`}
          summary={`Between ${low} and ${high} since ${since} UTC.`}
          times={timesMs.map((timeMs) => timeMs / 1_000)}
          lines={[
            { name: 'Price', values: prices },
            { name: 'Open price of the round', values: open, isDashed: true },
          ]}
          format={priceText}
          isRanged
        />
      );
    }}
  </Query>
);
