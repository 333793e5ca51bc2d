/** All active markets as they are now. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { ASSETS } from '../../../../engine/model/domain.js';
import {
  Badge,
  type Column,
  Figure,
  Figures,
  Loading,
  RoundBadge,
  ShareBar,
  Table,
} from '../parts/basics.js';
import { count, FRAMES, marketName, timeLeft, usd } from '../state/format.js';
import { live } from '../state/live.js';
import { type MarketNow, marketsOf, oddsOf } from '../state/markets.js';
import { linkTo } from '../state/route.js';
import { Rounds } from './rounds.js';

const ALL = 'all';
/** They stay as they are while one looks at a market and comes back. */
const asset = signal(ALL);
const frame = signal(ALL);
const isBusyOnly = signal(false);

export function MarketsView(): JSX.Element {
  const message = live.value;
  if (message === null) {
    return (
      <>
        <h1>Markets</h1>
        <Loading error="" />
      </>
    );
  }
  const all = marketsOf(message);
  const shown = all.filter(isShown);
  const bets = all.reduce((sum, { round }) => sum + (round?.bets ?? 0), 0);
  const volume = all.reduce((sum, { round }) => sum + (round?.volumeCents ?? 0), 0);
  return (
    <>
      <h1>Markets</h1>
      <Figures>
        <Figure name="Open rounds">
          {count(all.filter(({ round }) => round !== null).length)} of {count(all.length)} markets
        </Figure>
        <Figure name="Bets in them">{count(bets)}</Figure>
        <Figure name="Stakes in them">{usd(volume)}</Figure>
        <Figure name="Ended, not settled">{count(message.unsettled)}</Figure>
      </Figures>
      {message.unsettled > 0 && (
        <Rounds
          title="Ended, not settled"
          query="status=SETTLING"
          empty="All rounds that have ended are settled."
          withMarket={true}
        />
      )}
      <Filters />
      <Table caption="Markets" rows={shown} columns={columnsAt(message.timeMs)} keyOf={({ id }) => id} />
      {shown.length === 0 && <p class="quiet">No market is like that.</p>}
    </>
  );
}

function isShown({ asset: name, id, round }: MarketNow): boolean {
  if (asset.value !== ALL && asset.value !== name) return false;
  if (frame.value !== ALL && !id.endsWith(`_${frame.value}`)) return false;
  return !isBusyOnly.value || (round !== null && round.bets > 0);
}

function Filters(): JSX.Element {
  return (
    <fieldset class="filters">
      <legend class="hidden">Show</legend>
      <label>
        Asset{' '}
        <select value={asset.value} onChange={(event) => (asset.value = event.currentTarget.value)}>
          <option value={ALL}>all</option>
          {ASSETS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Rounds of{' '}
        <select value={frame.value} onChange={(event) => (frame.value = event.currentTarget.value)}>
          <option value={ALL}>all lengths</option>
          {Object.entries(FRAMES).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={isBusyOnly.value}
          onChange={(event) => (isBusyOnly.value = event.currentTarget.checked)}
        />
        with bets only
      </label>
    </fieldset>
  );
}

const columnsAt = (nowMs: number): Column<MarketNow>[] => [
  ['Market', ({ id }) => <a href={linkTo('markets', id)}>{marketName(id)}</a>],
  [
    'Round',
    ({ round, isSuspended }) => (
      <>
        {isSuspended && <Badge tone="warn">suspended</Badge>}
        <RoundBadge round={round} nowMs={nowMs} />
      </>
    ),
  ],
  ['#Left', ({ round }) => (round === null ? '–' : timeLeft(round.endMs - nowMs))],
  ['UP', ({ round }) => (round === null ? '–' : <ShareBar round={round} />)],
  ['~#Odds UP', ({ round }) => (round === null ? '–' : oddsOf(round).up)],
  ['~#Odds DOWN', ({ round }) => (round === null ? '–' : oddsOf(round).down)],
  ['#Pool', ({ round }) => (round === null ? '–' : usd(round.poolUpCents + round.poolDownCents))],
  ['#Bets', ({ round }) => (round === null ? '–' : count(round.bets))],
  ['~#Price', ({ price }) => price ?? '–'],
];
