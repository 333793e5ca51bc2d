import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { ASSETS } from '../../../../engine/model/domain.js';
import {
  Badge,
  type Column,
  Figure,
  Figures,
  Loading,
  Ref,
  roundBadge,
  ShareBar,
  Table,
} from '../parts/basics.js';
import { Filters } from '../parts/field.js';
import type { Field, Values } from '../state/action.js';
import { count, FRAMES, priceText, timeLeft, usd, wholeUsd } from '../state/format.js';
import { live } from '../state/live.js';
import { type MarketNow, marketsOf, oddsOf, type RoundNow } from '../state/markets.js';
import { Rounds } from './rounds.js';

/** They stay as they are while an operator looks at a market and comes back. */
const wanted = signal<Values>({});
const FILTERS: readonly Field[] = [
  { name: 'asset', label: 'Asset', kind: 'select', options: [['', 'all'], ...ASSETS] },
  {
    name: 'frame',
    label: 'Rounds of',
    kind: 'select',
    options: [['', 'all lengths'], ...Object.entries(FRAMES)],
  },
  { name: 'busy', label: 'with bets only', kind: 'flag' },
];

export function MarketsView(): JSX.Element {
  const message = live.value;
  if (message === null) return <Loading error="" />;
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
        <Figure name="Stakes in them">{wholeUsd(volume / 100)}</Figure>
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
      <Filters fields={FILTERS} values={wanted.value} onChange={(values) => (wanted.value = values)} />
      <Table caption="Markets" rows={shown} columns={columnsAt(message.timeMs)} keyOf={({ id }) => id} />
      {shown.length === 0 && <p class="quiet">No market is like that.</p>}
    </>
  );
}

function isShown({ asset: name, id, round }: MarketNow): boolean {
  const { asset = '', frame = '', busy = '' } = wanted.value;
  if ((asset !== '' && asset !== name) || !id.endsWith(frame)) return false;
  return busy === '' || (round !== null && round.bets > 0);
}

/** A dash where the market has no round. */
const ofRound =
  (show: (round: RoundNow) => JSX.Element | string): Column<MarketNow>[1] =>
  ({ round }) =>
    round === null ? '–' : show(round);

const columnsAt = (nowMs: number): readonly Column<MarketNow>[] => [
  ['Market', ({ id }) => <Ref id={id} />],
  [
    'Round',
    ({ round, isSuspended }) => (
      <>
        {isSuspended && <Badge tone="warn">suspended</Badge>} {roundBadge(round, nowMs)}
      </>
    ),
  ],
  ['#Left', ofRound(({ endMs }) => timeLeft(endMs - nowMs))],
  ['UP', ofRound((round) => <ShareBar round={round} />)],
  ['#Odds UP', ofRound((round) => oddsOf(round, round.poolUpCents))],
  ['#Odds DOWN', ofRound((round) => oddsOf(round, round.poolDownCents))],
  ['#Pool', ofRound(({ poolUpCents, poolDownCents }) => usd(poolUpCents + poolDownCents))],
  ['#Bets', ofRound(({ bets }) => count(bets))],
  ['#Price', ({ price }) => priceText(price)],
];
