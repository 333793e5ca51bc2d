/** Lists of rounds, and how an open round's state and pools are shown. */
import type { JSX } from 'preact';
import { ROUND_STATUSES } from '../../../../engine/model/domain.js';
import type { RoundResource } from '../../../operator/rounds.js';
import type { ShownRound } from '../../../wire/market-text.js';
import type { MarketNow } from '../../live-message.js';
import { voidRound } from '../actions/control.js';
import { Act } from '../parts/action.js';
import { Badge, Ref } from '../parts/basics.js';
import { List } from '../parts/list.js';
import { centsOf, count, oddsText, paid, priceText, timeText } from '../state/format.js';

interface RoundsProps {
  readonly title: string;
  readonly query: Readonly<Record<string, string>>;
  readonly empty: string;
}

export const Rounds = (props: RoundsProps): JSX.Element => (
  <List<RoundResource>
    {...props}
    path="/rounds"
    columns={(reload) => [
      ['Round', ({ id }) => <Ref id={id} />],
      ['Result', ({ result, status }) => result ?? status.toLowerCase()],
      ['#Open', ({ openPrice }) => priceText(openPrice)],
      ['#Close', ({ closePrice }) => priceText(closePrice)],
      ['#Pool UP', ofEnded(({ poolUp }) => paid(poolUp))],
      ['#Pool DOWN', ofEnded(({ poolDown }) => paid(poolDown))],
      ['#Bets', ofEnded(({ totalBets }) => count(totalBets))],
      ['#House', ({ houseResult }) => paid(houseResult)],
      ['Ends', ({ endTime }) => timeText(endTime)],
      ['Action', (round) => voidButton(round, reload), 'admin'],
    ]}
  />
);

/** A dash for an open round: the house moves its seeds between the pools, which the market shows each second. */
const ofEnded =
  (show: (round: RoundResource) => string): ((round: RoundResource) => string) =>
  (round) =>
    ['SETTLING', 'SETTLED'].includes(round.status) ? show(round) : '–';

/** For a round that waits for its price. */
function voidButton(
  { id, status, result, totalBets, totalVolume }: RoundResource,
  reload: () => void,
): JSX.Element | null {
  if (result !== null || status !== 'SETTLING') return null;
  return <Act action={voidRound(id, totalBets, centsOf(totalVolume))} onDone={reload} />;
}

export const marketState = ({ round, suspendedSequence }: MarketNow, nowMs: number): JSX.Element => (
  <>
    {suspendedSequence > 0 && <Badge tone="warn">suspended</Badge>} {roundBadge(round, nowMs)}
  </>
);

function roundBadge(round: ShownRound | null, nowMs: number): JSX.Element {
  if (round === null) return <Badge>no round</Badge>;
  const status = ROUND_STATUSES[round.status] ?? '';
  if (status !== 'LIVE') return <Badge>{status.toLowerCase()}</Badge>;
  if (nowMs >= round.bettingClosesMs) return <Badge tone="warn">bets closed</Badge>;
  if (!round.takesOrders) return <Badge tone="warn">takes no bets</Badge>;
  return <Badge tone="good">taking bets</Badge>;
}

/** The pool has both sides; a dash for an empty one. */
export const oddsOf = ({ poolUpCents, poolDownCents }: ShownRound, pool: number): string =>
  pool === 0 ? '–' : oddsText((poolUpCents + poolDownCents) / pool);

export function ShareBar({ round }: { readonly round: ShownRound }): JSX.Element {
  const { poolUpCents, poolDownCents } = round;
  const total = poolUpCents + poolDownCents;
  const percent = total === 0 ? 50 : (poolUpCents / total) * 100;
  return (
    <>
      <svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width={percent} height="10" />
      </svg>
      {Math.round(percent)} %
    </>
  );
}
