import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { ASSETS } from '../../../../engine/model/domain.js';
import type { ShownRound } from '../../../wire/market-text.js';
import type { LiveMessage, MarketNow } from '../../live-message.js';
import { Figures, Ref } from '../parts/basics.js';
import { type Field, Filters, type Values } from '../parts/field.js';
import { type Column, Table } from '../parts/list.js';
import { count, FRAMES, priceText, timeLeft, usd, wholeUsd } from '../state/format.js';
import { marketState, oddsOf, Rounds, ShareBar } from './rounds.js';

/** They stay as they are while an operator looks at a market and comes back. */
const wanted = signal<Values>({});
const FILTERS: readonly Field[] = [
  { name: 'asset', label: 'Asset', options: [['', 'all'], ...ASSETS] },
  { name: 'frame', label: 'Rounds of', options: [['', 'all lengths'], ...Object.entries(FRAMES)] },
  { name: 'busy', label: 'with bets only', kind: 'flag' },
];

export function MarketsView({ markets, unsettled, timeMs }: LiveMessage): JSX.Element {
  const rounds = markets.flatMap(({ round }) => round ?? []);
  const volumeCents = rounds.reduce((sum, round) => sum + round.volumeCents, 0);
  return (
    <>
      <h1>Markets</h1>
      <Figures
        of={{
          'Open rounds': `${count(rounds.length)} of ${count(markets.length)} markets`,
          'Bets in them': count(rounds.reduce((sum, { bets }) => sum + bets, 0)),
          'Stakes in them': wholeUsd(volumeCents / 100),
          'Ended, not settled': count(unsettled),
        }}
      />
      {unsettled > 0 && (
        <Rounds
          key={unsettled}
          title="Ended, not settled"
          query={{ status: 'SETTLING' }}
          empty="All rounds that have ended are settled."
        />
      )}
      <Filters fields={FILTERS} values={wanted.value} onChange={(values) => (wanted.value = values)} />
      <Table
        caption="Markets"
        rows={markets.filter(isShown)}
        empty="No market is like that."
        columns={columnsAt(timeMs)}
      />
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
  (show: (round: ShownRound) => JSX.Element | string): Column<MarketNow>[1] =>
  ({ round }) =>
    round === null ? '–' : show(round);

const columnsAt = (nowMs: number): readonly Column<MarketNow>[] => [
  ['Market', ({ id }) => <Ref id={id} />],
  ['Round', (market) => marketState(market, nowMs)],
  ['#Left', ofRound(({ endTimeMs }) => timeLeft(endTimeMs - nowMs))],
  ['UP', ofRound((round) => <ShareBar round={round} />)],
  ['#Odds UP', ofRound((round) => oddsOf(round, round.poolUpCents))],
  ['#Odds DOWN', ofRound((round) => oddsOf(round, round.poolDownCents))],
  ['#Pool', ofRound(({ poolUpCents, poolDownCents }) => usd(poolUpCents + poolDownCents))],
  ['#Bets', ofRound(({ bets }) => count(bets))],
  ['#Price', ({ price }) => priceText(price)],
];
