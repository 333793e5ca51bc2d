/** The first view: findings, today's money, the speed of orders, prices with their age, and the machines. */
import type { JSX } from 'preact';
import { attention } from '../parts/attention.js';
import { Figure, Figures, Findings, Loading } from '../parts/basics.js';
import { Asked, useLoaded } from '../parts/loaded.js';
import { Prices, type ServerStatus } from '../parts/prices.js';
import { useVitals } from '../parts/vitals.js';
import { count, wholeUsd } from '../state/format.js';
import { live } from '../state/live.js';
import { linkTo } from '../state/route.js';
import { addedUp, type HouseProfit, MarketsMoney } from './house.js';
import { Machines } from './machines.js';
import { milliseconds, written } from './system.js';

const STATUS_EVERY_MS = 3_000;
const MONEY_EVERY_MS = 15_000;
const DAY_MS = 24 * 3_600_000;

export function OverviewView(): JSX.Element {
  const message = live.value;
  const { data: status, error, reload } = useLoaded<ServerStatus>('/status', STATUS_EVERY_MS);
  const { vitals } = useVitals();
  const pace = vitals?.column('ordersPerSecond') ?? [];
  const time = vitals?.column('orderP99Ms') ?? [];
  if (message === null) return <Loading error="" />;
  const today = new Date(Math.floor(message.timeMs / DAY_MS) * DAY_MS).toISOString();
  return (
    <>
      <h1>Overview</h1>
      <Findings
        title="What needs attention"
        findings={attention(message, status?.feed ?? null, reload)}
        isFine="Nothing needs your attention."
      />
      <Asked<HouseProfit> path={`/house/profit?by=hour&from=${today}`} everyMs={MONEY_EVERY_MS}>
        {(profit) => (
          <>
            <Figures>
              <Figure name="House result today" line={addedUp(profit.parts.map((part) => part.houseResult))}>
                {wholeUsd(profit.total.houseResult)}
              </Figure>
              <Figure name="Stakes of settled rounds" line={profit.parts.map((part) => part.totalVolume)}>
                {wholeUsd(profit.total.totalVolume)}
              </Figure>
              <Figure name="Orders a second" line={pace}>
                {written(pace.at(-1), (value) => count(Math.round(value)))}
              </Figure>
              <Figure name="Order time, 99 % below" line={time}>
                {written(time.at(-1), milliseconds)}
              </Figure>
            </Figures>
            <div class="title">
              <h2>Money today, by market</h2>
              <a href={linkTo('house')}>House</a>
            </div>
            <MarketsMoney markets={profit.markets} />
          </>
        )}
      </Asked>
      <section>
        <h2>Prices</h2>
        {status === null ? <Loading error={error} /> : <Prices feed={status.feed} />}
      </section>
      <section>
        <h2>Machines</h2>
        <Machines status={message.replication} />
      </section>
    </>
  );
}
