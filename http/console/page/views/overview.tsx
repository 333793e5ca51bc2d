/** The first view: alarms, today's money, the speed of orders, prices with their age, and the machines. */
import type { ComponentChildren, JSX } from 'preact';
import type { VitalsResource } from '../../../operator/figures/vitals.js';
import type { HouseProfit } from '../../../operator/house.js';
import type { Status } from '../../../operator/queries/status.js';
import type { LiveMessage } from '../../live-message.js';
import { confirmClock, suspend } from '../actions/control.js';
import { Act } from '../parts/action.js';
import { Badge, Figures, Loading, Section, Spark } from '../parts/basics.js';
import { Query, useLoaded } from '../parts/loaded.js';
import { bytes, count, duration, marketName, timeText, wholeUsd } from '../state/format.js';
import { isFresh } from '../state/live.js';
import { linkTo } from '../state/route.js';
import { addedUp, MarketsMoney } from './house.js';
import { Machines } from './machines.js';
import { Prices } from './prices.js';
import { milliseconds, VITALS_EVERY_MS, whole, written } from './system.js';

const STATUS_EVERY_MS = 3_000;
const MONEY_EVERY_MS = 15_000;
const DAY_MS = 24 * 3_600_000;

export function OverviewView(message: LiveMessage): JSX.Element {
  const { data: vitals } = useLoaded<VitalsResource>('/vitals', VITALS_EVERY_MS);
  const today = new Date(Math.floor(message.timeMs / DAY_MS) * DAY_MS).toISOString();
  const { data: money, error } = useLoaded<HouseProfit>(
    `/house/profit?by=hour&from=${today}`,
    MONEY_EVERY_MS,
  );
  const { parts = [] } = money ?? {};
  const [pace = [], time = []] = [vitals?.columns['ordersPerSecond'], vitals?.columns['orderP99Ms']];
  return (
    <>
      <h1>Overview</h1>
      <Attention {...message} />
      <Figures
        isBig
        of={{
          'House result today': withLine(
            money === null ? '–' : wholeUsd(money.total.houseResult),
            addedUp(parts.map(({ houseResult }) => houseResult)),
          ),
          'Stakes of settled rounds': withLine(
            money === null ? '–' : wholeUsd(money.total.totalVolume),
            parts.map(({ totalVolume }) => totalVolume),
          ),
          'Orders a second': withLine(written(pace.at(-1), whole), pace),
          'Order time, 99 % below': withLine(written(time.at(-1), milliseconds), time),
        }}
      />
      <Section title="Money today, by market" side={<a href={linkTo('house')}>House</a>}>
        {(money === null || error !== '') && <Loading error={error} />}
        {money !== null && <MarketsMoney markets={money.markets} />}
      </Section>
      <Section title="Prices">
        <Query<Status> path="/status" everyMs={STATUS_EVERY_MS}>
          {(of, reload) => <Prices of={of} reload={reload} />}
        </Query>
      </Section>
      <Section title="Machines">
        <Machines status={message.replication} />
      </Section>
    </>
  );
}

const withLine = (figure: string, values: readonly (number | null)[]): ComponentChildren => [
  figure,
  <Spark key="line" values={values} />,
];

/** The alarms, the worst first, with what does something about them at once. */
const Attention = (message: LiveMessage): JSX.Element => (
  <section class="findings" aria-live="polite" aria-label="What needs attention">
    {message.alarms.length + message.waiting.length === 0 && isFresh.value && (
      <p class="fine">
        <Badge tone="good">all is well</Badge> Nothing needs your attention.
      </p>
    )}
    {message.waiting.map((what) => (
      <p class="fine" key={what}>
        <Badge tone="warn">no alarm yet</Badge> It is one if this lasts: {what}.
      </p>
    ))}
    <ul>
      {[...message.alarms]
        .sort((one, other) => one.severity.localeCompare(other.severity))
        .map(({ name, severity, what, advice, since, value, limit, unit }) => (
          <li key={name} class={severity}>
            <p>
              <Badge tone={severity === 'critical' ? 'bad' : 'warn'}>{severity}</Badge>{' '}
              <strong>
                {what.charAt(0).toUpperCase()}
                {what.slice(1)}.
              </strong>
            </p>
            <p class="quiet">
              {name}, since {timeText(since * 1_000)} UTC
              {unit !== '' && `: ${figure(value, unit)}; its bound is ${figure(limit, unit)}`}
            </p>
            <p>Do this: {advice}</p>
            {MORE[name]?.(message)}
          </li>
        ))}
    </ul>
  </section>
);

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  bytes,
  s: (seconds) => duration(seconds * 1_000),
  share: (share) => `${Math.round(share * 100)} %`,
};
const figure = (value: number, unit: string): string =>
  FORMATS[unit]?.(value) ?? `${count(Number(value.toFixed(1)))} ${unit}`;

const shadowReason = (): JSX.Element => (
  <Query<Status> path="/status" everyMs={STATUS_EVERY_MS}>
    {({ shadow: { reason } }) => <p class="quiet">{reason !== null && `The reason: ${reason}`}</p>}
  </Query>
);

/** By the alarm's name. */
const MORE: Readonly<Record<string, (now: LiveMessage) => ComponentChildren>> = {
  trading_stopped: ({ trading }) => <p class="quiet">{trading.reason}</p>,
  clock_unconfirmed: (now) => <Act action={confirmClock(now)} />,
  market_suspended: ({ markets }) =>
    markets
      .filter(({ suspendedSequence }) => suspendedSequence > 0)
      .map((market) => (
        <p key={market.id}>
          {marketName(market.id)} is suspended. <Act action={suspend(market)} />
        </p>
      )),
  rounds_unsettled: () => <a href={linkTo('markets')}>See them</a>,
  shadow_impaired: shadowReason,
  snapshot_old: shadowReason,
  replication_away: ({ replication }) => <p class="quiet">The reason: {replication?.trouble}</p>,
};
