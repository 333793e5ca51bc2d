/** The house: its money, its possible losses in open rounds, and its earnings. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HouseExposure, HouseProfit, HouseResource } from '../../../operator/house.js';
import type { LiveMessage } from '../../live-message.js';
import { deposit, withdraw } from '../actions/money.js';
import { Act } from '../parts/action.js';
import { Badge, Figures, Ref, Section, Spark } from '../parts/basics.js';
import { Select } from '../parts/field.js';
import { Table } from '../parts/list.js';
import { Query } from '../parts/loaded.js';
import { Plot } from '../parts/plot.js';
import { centsOf, count, paid, timeText, usd, wholeUsd } from '../state/format.js';

const EXPOSURE_EVERY_MS = 5_000;
const PROFIT_EVERY_MS = 60_000;
const ROUNDS_SHOWN = 20;
const DAY_MS = 24 * 3_600_000;
const DAYS_SHOWN = 7;
/** From this part of a loss limit on, the loss is marked. */
const NEAR_LIMIT = 0.6;

export function HouseView({ totals, timeMs }: LiveMessage): JSX.Element {
  const purse = { path: '/house', name: 'the house', cents: totals.houseCents };
  return (
    <>
      <h1>House</h1>
      <div class="buttons">
        <Act action={deposit(purse)} />
        <Act action={withdraw(purse)} />
      </div>
      <Books {...totals} />
      <Section title="Today (UTC)">
        <Query<HouseResource> path="/house" everyMs={EXPOSURE_EVERY_MS}>
          {({ today }) => (
            <Table
              caption="Results by market and asset, against their loss limits"
              rows={[...today].reverse()}
              columns={[
                ['Where', ({ scope }) => (scope === 'ALL' ? 'all markets' : <Ref id={scope} />)],
                ['#Result', ({ result }) => paid(result)],
                [
                  '#Lost',
                  ({ lost, limit }) =>
                    lost >= NEAR_LIMIT * limit ? <Badge tone="bad">{paid(lost)}</Badge> : paid(lost),
                ],
                ['#Limit', ({ limit }) => paid(limit)],
              ]}
            />
          )}
        </Query>
      </Section>
      <Section title="Open rounds">
        <Query<HouseExposure> path="/house/exposure" everyMs={EXPOSURE_EVERY_MS}>
          {(exposure) => <Exposure {...exposure} />}
        </Query>
      </Section>
      <Profit timeMs={timeMs} />
    </>
  );
}

/** The equation of the books holds after every command. */
function Books(totals: LiveMessage['totals']): JSX.Element {
  const { houseCents, openSeedsCents, accountsCents, openStakesCents, reservedStakesCents } = totals;
  const held = houseCents + openSeedsCents + accountsCents + openStakesCents + reservedStakesCents;
  const paidIn = totals.depositsCents - totals.withdrawalsCents;
  const isWhole = held === paidIn;
  return (
    <Section title="Where the money is">
      <Figures
        of={{
          'House balance': usd(houseCents),
          'Seeds in open rounds': usd(openSeedsCents),
          'Balances of accounts': usd(accountsCents),
          'Stakes of open bets': usd(openStakesCents),
          'Stakes of waiting limit orders': usd(reservedStakesCents),
          'All deposits': usd(totals.depositsCents),
          'All withdrawals': usd(totals.withdrawalsCents),
        }}
      />
      <p>
        <Badge tone={isWhole ? 'good' : 'bad'}>
          {isWhole ? 'the books balance' : 'the books do not balance'}
        </Badge>{' '}
        House, seeds, balances and stakes are {usd(held)}; deposits less withdrawals are {usd(paidIn)}.
      </p>
    </Section>
  );
}

function Exposure({ rounds, seeds, worst, expected, totalBets, totalVolume }: HouseExposure): JSX.Element {
  const withBets = rounds.filter((round) => round.totalBets > 0);
  return (
    <>
      <Figures
        of={{
          'Seeds out': paid(seeds),
          'In the worst case': paid(worst),
          'On average': paid(expected),
          Bets: count(totalBets),
          Stakes: paid(totalVolume),
        }}
      />
      <Table
        caption="Open rounds with bets, those with the most to lose first"
        rows={withBets.slice(0, ROUNDS_SHOWN)}
        empty="No open round has a bet."
        columns={[
          ['Market', ({ marketId }) => <Ref id={marketId} />],
          ['State', ({ status }) => status.toLowerCase()],
          ['#If UP', ({ resultIfUp }) => paid(resultIfUp)],
          ['#If DOWN', ({ resultIfDown }) => paid(resultIfDown)],
          ['#Bets', (round) => count(round.totalBets)],
          ['#Stakes', (round) => paid(round.totalVolume)],
          ['Ends', ({ endTime }) => timeText(endTime)],
        ]}
      />
      {withBets.length > ROUNDS_SHOWN && (
        <p class="quiet">{count(withBets.length - ROUNDS_SHOWN)} more rounds have bets, and less to lose.</p>
      )}
    </>
  );
}

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
  const select = (
    <Select
      aria-label="Span of time"
      value={query}
      options={spansAt(timeMs)}
      onChange={(event) => setQuery(event.currentTarget.value)}
    />
  );
  return (
    <Section title="Earned" side={select}>
      <Query<HouseProfit> path={`/house/profit?${query}`} everyMs={PROFIT_EVERY_MS}>
        {({ total, parts, markets }) => (
          <>
            <Figures
              of={{
                "The house's result": paid(total.houseResult),
                'Fees in it': paid(total.fees),
                Stakes: paid(total.totalVolume),
                'Paid out': paid(total.paid),
                Rounds: count(total.rounds),
                'Void rounds': count(total.voided),
              }}
            />
            <Plot
              title="Earned, added up"
              summary={`From ${timeText(parts[0]?.start ?? null)} UTC: ${wholeUsd(total.houseResult)}.`}
              times={parts.map(({ end }) => Date.parse(end) / 1_000)}
              lines={[{ name: 'Result', values: addedUp(parts.map(({ houseResult }) => houseResult)) }]}
              format={wholeUsd}
            />
            <MarketsMoney markets={markets} />
          </>
        )}
      </Query>
    </Section>
  );
}

/** In dollars, from each part's own. */
export function addedUp(results: readonly number[]): number[] {
  let cents = 0;
  return results.map((result) => {
    cents += centsOf(result);
    return cents / 100;
  });
}

/** Each market with its running sum. */
export const MarketsMoney = ({ markets }: Pick<HouseProfit, 'markets'>): JSX.Element => (
  <Table
    caption="By market, those that have lost the most first"
    rows={markets}
    empty="No round with bets has settled."
    columns={[
      ['Market', ({ marketId }) => <Ref id={marketId} />],
      ['Added up', ({ results }) => <Spark values={addedUp(results)} />],
      ['#Result', ({ houseResult }) => paid(houseResult)],
      ['#Stakes', ({ totalVolume }) => paid(totalVolume)],
      ['#Bets', ({ totalBets }) => count(totalBets)],
    ]}
  />
);
