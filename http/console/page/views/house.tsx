/** The house: what it has, what it could lose in open rounds, and what it has earned. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DayResult, Earnings, HouseExposure, HouseResource } from '../../../operator/resources/house.js';
import { moveHouseMoney } from '../actions/control.js';
import { Badge, type Column, Figure, Figures, Loading, Table } from '../parts/basics.js';
import { useLoaded } from '../parts/loaded.js';
import { Plot } from '../parts/plot.js';
import { centsOf, count, isoTimeText, marketName, usd } from '../state/format.js';
import { live } from '../state/live.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';

/** Of `GET /house/profit`. */
interface HouseProfit {
  readonly total: Earnings;
  readonly parts: readonly (Earnings & { readonly start: string; readonly end: string })[];
  readonly markets: readonly (Earnings & { readonly marketId: string })[];
}

const EXPOSURE_EVERY_MS = 5_000;
const PROFIT_EVERY_MS = 60_000;
const ROUNDS_SHOWN = 20;
const DAY_MS = 24 * 3_600_000;
const DAYS_SHOWN = 7;

export function HouseView(): JSX.Element {
  const message = live.value;
  return (
    <>
      <h1>House</h1>
      {may('admin') && (
        <div class="buttons start">
          <button type="button" onClick={() => moveHouseMoney('deposits')}>
            Add capital
          </button>
          <button type="button" onClick={() => moveHouseMoney('withdrawals')}>
            Withdraw
          </button>
        </div>
      )}
      {message === null ? <Loading error="" /> : <Books totals={message.totals} />}
      <Today />
      <Exposure />
      {message !== null && <Profit timeMs={message.timeMs} />}
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

/** What rounds settled today have brought, and how far that is from the loss limits. */
function Today(): JSX.Element {
  const { data, error } = useLoaded<HouseResource>('/house', EXPOSURE_EVERY_MS);
  return (
    <section>
      <h2>Today (UTC)</h2>
      {data === null ? (
        <Loading error={error} />
      ) : (
        <Table
          caption="Results by market and asset, against their loss limits"
          rows={[...data.today].reverse()}
          columns={TODAY}
          keyOf={({ scope }) => scope}
        />
      )}
    </section>
  );
}

const TODAY: readonly Column<DayResult>[] = [
  ['Where', ({ scope }) => scope],
  ['#Result', ({ result }) => usd(centsOf(result))],
  [
    '#Lost',
    ({ lost, limit }) =>
      lost >= 0.6 * limit ? <Badge tone="bad">{usd(centsOf(lost))}</Badge> : usd(centsOf(lost)),
  ],
  ['#Limit', ({ limit }) => usd(centsOf(limit))],
];

function Exposure(): JSX.Element {
  const { data, error } = useLoaded<HouseExposure>('/house/exposure', EXPOSURE_EVERY_MS);
  return (
    <section>
      <h2>Open rounds</h2>
      {data === null ? <Loading error={error} /> : <ExposureSummary exposure={data} />}
    </section>
  );
}

function ExposureSummary({ exposure }: { readonly exposure: HouseExposure }): JSX.Element {
  const { rounds, seeds, worst, expected, totalBets, totalVolume } = exposure;
  const withBets = rounds.filter((round) => round.totalBets > 0);
  return (
    <>
      <Figures>
        <Figure name="Seeds out">{usd(centsOf(seeds))}</Figure>
        <Figure name="In the worst case">{usd(centsOf(worst))}</Figure>
        <Figure name="On average">{expected === null ? '–' : usd(centsOf(expected))}</Figure>
        <Figure name="Bets">{count(totalBets)}</Figure>
        <Figure name="Stakes">{usd(centsOf(totalVolume))}</Figure>
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
  ['Market', ({ marketId }) => <a href={linkTo('markets', marketId)}>{marketName(marketId)}</a>],
  ['State', ({ status }) => status.toLowerCase()],
  ['#If UP', ({ resultIfUp }) => usd(centsOf(resultIfUp))],
  ['#If DOWN', ({ resultIfDown }) => usd(centsOf(resultIfDown))],
  ['#Bets', ({ totalBets }) => count(totalBets)],
  ['~#Stakes', ({ totalVolume }) => usd(centsOf(totalVolume))],
  ['~Ends', ({ endTime }) => isoTimeText(endTime)],
];

const EARNED: readonly Column<HouseProfit['markets'][number]>[] = [
  ['Market', ({ marketId }) => <a href={linkTo('markets', marketId)}>{marketName(marketId)}</a>],
  ['#Result', ({ houseResult }) => usd(centsOf(houseResult))],
  ['#Bets', ({ totalBets }) => count(totalBets)],
  ['~#Stakes', ({ totalVolume }) => usd(centsOf(totalVolume))],
];

/** What can be asked for, as queries, and what it is called. */
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
  const { data, error } = useLoaded<HouseProfit>(`/house/profit?${query}`, PROFIT_EVERY_MS);
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
      {data === null ? <Loading error={error} /> : <ProfitSummary profit={data} />}
    </section>
  );
}

function ProfitSummary({ profit: { total, parts, markets } }: { readonly profit: HouseProfit }): JSX.Element {
  let sum = 0;
  const earned = parts.map(({ houseResult }) => {
    sum += centsOf(houseResult);
    return sum / 100;
  });
  const dollars = (value: number): string => usd(Math.round(value * 100));
  return (
    <>
      <Figures>
        <Figure name="The house's result">{usd(centsOf(total.houseResult))}</Figure>
        <Figure name="Fees in it">{usd(centsOf(total.fees))}</Figure>
        <Figure name="Stakes">{usd(centsOf(total.totalVolume))}</Figure>
        <Figure name="Paid out">{usd(centsOf(total.paid))}</Figure>
        <Figure name="Rounds">{count(total.rounds)}</Figure>
        <Figure name="Void rounds">{count(total.voided)}</Figure>
      </Figures>
      <Plot
        title="Earned, added up"
        summary={`From ${isoTimeText(parts[0]?.start ?? null)} UTC: ${dollars(earned.at(-1) ?? 0)}.`}
        times={parts.map(({ end }) => Date.parse(end) / 1_000)}
        lines={[{ name: 'Result', color: '--line-1', values: earned }]}
        format={dollars}
      />
      <Table
        caption="By market, those that have lost the most first"
        rows={markets}
        columns={EARNED}
        keyOf={({ marketId }) => marketId}
      />
    </>
  );
}
