/** The house: its money, its possible losses in open rounds, and its earnings. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DayResult, Earnings, HouseExposure, HouseResource } from '../../../operator/resources/house.js';
import { HOUSE, moveMoney } from '../actions/money.js';
import { Badge, type Column, Figure, Figures, Loading, Ref, Spark, Table } from '../parts/basics.js';
import { Asked } from '../parts/loaded.js';
import { Plot } from '../parts/plot.js';
import { centsOf, count, isoTimeText, paid, usd, wholeUsd } from '../state/format.js';
import { live } from '../state/live.js';
import { may } from '../state/session.js';

/** The part of `GET /house/profit` that is shown here. */
export interface HouseProfit {
  readonly total: Earnings;
  readonly parts: readonly (Earnings & { readonly start: string; readonly end: string })[];
  readonly markets: readonly (Earnings & {
    readonly marketId: string;
    readonly results: readonly number[];
  })[];
}

const EXPOSURE_EVERY_MS = 5_000;
const PROFIT_EVERY_MS = 60_000;
const ROUNDS_SHOWN = 20;
const DAY_MS = 24 * 3_600_000;
const DAYS_SHOWN = 7;

/** In dollars, from each part's own. */
export function addedUp(results: readonly number[]): number[] {
  let cents = 0;
  return results.map((result) => {
    cents += centsOf(result);
    return cents / 100;
  });
}

export function HouseView(): JSX.Element {
  const message = live.value;
  if (message === null) return <Loading error="" />;
  return (
    <>
      <h1>House</h1>
      {may('admin') && (
        <div class="buttons">
          <button type="button" onClick={() => moveMoney('deposits', HOUSE)}>
            Add capital
          </button>
          <button type="button" onClick={() => moveMoney('withdrawals', HOUSE)}>
            Withdraw
          </button>
        </div>
      )}
      <Books totals={message.totals} />
      <section>
        <h2>Today (UTC)</h2>
        <Asked<HouseResource> path="/house" everyMs={EXPOSURE_EVERY_MS}>
          {({ today }) => (
            <Table
              caption="Results by market and asset, against their loss limits"
              rows={[...today].reverse()}
              columns={TODAY}
              keyOf={({ scope }) => scope}
            />
          )}
        </Asked>
      </section>
      <section>
        <h2>Open rounds</h2>
        <Asked<HouseExposure> path="/house/exposure" everyMs={EXPOSURE_EVERY_MS}>
          {(exposure) => <Exposure exposure={exposure} />}
        </Asked>
      </section>
      <Profit timeMs={message.timeMs} />
    </>
  );
}

type Totals = NonNullable<typeof live.value>['totals'];

/** The equation of the books holds after every command. */
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

/** The results of rounds settled today, and their distance from the loss limits. */
const TODAY: readonly Column<DayResult>[] = [
  ['Where', ({ scope }) => (scope === 'ALL' ? 'all markets' : <Ref id={scope} />)],
  ['#Result', ({ result }) => paid(result)],
  ['#Lost', ({ lost, limit }) => (lost >= 0.6 * limit ? <Badge tone="bad">{paid(lost)}</Badge> : paid(lost))],
  ['#Limit', ({ limit }) => paid(limit)],
];

function Exposure({ exposure }: { readonly exposure: HouseExposure }): JSX.Element {
  const { rounds, seeds, worst, expected, totalBets, totalVolume } = exposure;
  const withBets = rounds.filter((round) => round.totalBets > 0);
  return (
    <>
      <Figures>
        <Figure name="Seeds out">{paid(seeds)}</Figure>
        <Figure name="In the worst case">{paid(worst)}</Figure>
        <Figure name="On average">{paid(expected)}</Figure>
        <Figure name="Bets">{count(totalBets)}</Figure>
        <Figure name="Stakes">{paid(totalVolume)}</Figure>
      </Figures>
      {withBets.length === 0 ? (
        <p class="quiet">No open round has a bet.</p>
      ) : (
        <Table
          caption="Open rounds with bets, those with the most to lose first"
          rows={withBets.slice(0, ROUNDS_SHOWN)}
          columns={EXPOSURE}
          keyOf={({ id }) => id}
        />
      )}
      {withBets.length > ROUNDS_SHOWN && (
        <p class="quiet">{count(withBets.length - ROUNDS_SHOWN)} more rounds have bets, and less to lose.</p>
      )}
    </>
  );
}

const EXPOSURE: readonly Column<HouseExposure['rounds'][number]>[] = [
  ['Market', ({ marketId }) => <Ref id={marketId} />],
  ['State', ({ status }) => status.toLowerCase()],
  ['#If UP', ({ resultIfUp }) => paid(resultIfUp)],
  ['#If DOWN', ({ resultIfDown }) => paid(resultIfDown)],
  ['#Bets', ({ totalBets }) => count(totalBets)],
  ['#Stakes', ({ totalVolume }) => paid(totalVolume)],
  ['Ends', ({ endTime }) => isoTimeText(endTime)],
];

/** Each market with its running sum. */
export const MarketsMoney = ({ markets }: Pick<HouseProfit, 'markets'>): JSX.Element =>
  markets.length === 0 ? (
    <p class="quiet">No round with bets has settled.</p>
  ) : (
    <Table
      caption="By market, those that have lost the most first"
      rows={markets}
      columns={[
        ['Market', ({ marketId }) => <Ref id={marketId} />],
        ['Added up', ({ results }) => <Spark values={addedUp(results)} />],
        ['#Result', ({ houseResult }) => paid(houseResult)],
        ['#Stakes', ({ totalVolume }) => paid(totalVolume)],
        ['#Bets', ({ totalBets }) => count(totalBets)],
      ]}
      keyOf={({ marketId }) => marketId}
    />
  );

/** As queries, with their names. */
function spansAt(timeMs: number): [string, string][] {
  const today = Math.floor(timeMs / DAY_MS);
  const days = Array.from({ length: DAYS_SHOWN }, (_, ago): [string, string] => {
    const [from = '', to] = [today - ago, today - ago + 1].map((day) => new Date(day * DAY_MS).toISOString());
    return [`by=hour&from=${from}&to=${to}`, `${from.slice(0, 10)} (UTC)`];
  });
  return [['by=hour', 'The last 24 hours'], ['by=day', 'The last 7 days'], ...days];
}

function Profit({ timeMs }: { readonly timeMs: number }): JSX.Element {
  const [query, setQuery] = useState('by=hour');
  return (
    <section>
      <div class="title">
        <h2>Earned</h2>
        <label>
          <span class="hidden">Span of time</span>
          <select value={query} onChange={(event) => setQuery(event.currentTarget.value)}>
            {spansAt(timeMs).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Asked<HouseProfit> path={`/house/profit?${query}`} everyMs={PROFIT_EVERY_MS}>
        {(profit) => <ProfitSummary profit={profit} />}
      </Asked>
    </section>
  );
}

function ProfitSummary({ profit: { total, parts, markets } }: { readonly profit: HouseProfit }): JSX.Element {
  const earned = addedUp(parts.map(({ houseResult }) => houseResult));
  return (
    <>
      <Figures>
        <Figure name="The house's result">{paid(total.houseResult)}</Figure>
        <Figure name="Fees in it">{paid(total.fees)}</Figure>
        <Figure name="Stakes">{paid(total.totalVolume)}</Figure>
        <Figure name="Paid out">{paid(total.paid)}</Figure>
        <Figure name="Rounds">{count(total.rounds)}</Figure>
        <Figure name="Void rounds">{count(total.voided)}</Figure>
      </Figures>
      <Plot
        title="Earned, added up"
        summary={`From ${isoTimeText(parts[0]?.start ?? null)} UTC: ${wholeUsd(earned.at(-1) ?? 0)}.`}
        times={parts.map(({ end }) => Date.parse(end) / 1_000)}
        lines={[{ name: 'Result', color: '--line-1', values: earned }]}
        format={wholeUsd}
      />
      <MarketsMoney markets={markets} />
    </>
  );
}
