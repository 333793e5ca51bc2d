/** The line above every view: whether its figures are fresh, whether orders are taken, and who leads. */
import type { JSX } from 'preact';
import type { LeaderStatus } from '../../metrics/replication.js';
import type { LiveMessage } from '../live-message.js';
import { setTrading } from './actions/control.js';
import { Badge, type Tone } from './parts/basics.js';
import { timeText } from './state/format.js';
import { isFresh, live, standby } from './state/live.js';
import { isHeldUp, leaderFindings } from './state/replication.js';
import { linkTo } from './state/route.js';
import { may } from './state/session.js';

/** The link is for the badge. */
type Said = readonly [tone: Tone, text: string, href?: string];

/** If a server has sent nothing for some seconds only that is said: its last figures may hold no more. */
export function Condition(): JSX.Element {
  const message = live.value ?? standby.value;
  if (message === null) return <p class="condition quiet">Connecting …</p>;
  const isOfLeader = 'markets' in message;
  const said: readonly Said[] = !isFresh.value
    ? [['bad', 'no news from the server']]
    : isOfLeader
      ? saidOf(message)
      : [['plain', `${message.replication.node} is a standby`]];
  return (
    <div class="condition">
      {isOfLeader && message.arePricesSimulated && <Badge tone="bad">prices are simulated</Badge>}
      {said.map(([tone, text, href]) => {
        const badge = <Badge tone={tone}>{text}</Badge>;
        return href === undefined ? badge : <a href={href}>{badge}</a>;
      })}
      <span class="quiet">
        {!isFresh.value && 'since '}
        {timeText(message.timeMs)} UTC{isOfLeader && message.isClockManual && ' (manual clock)'}
      </span>
      {isOfLeader && may('admin') && (
        <button type="button" disabled={!isFresh.value} onClick={() => setTrading(!message.trading.enabled)}>
          {message.trading.enabled ? 'Stop trading' : 'Resume trading'}
        </button>
      )}
    </div>
  );
}

function saidOf({ ordersRefused, alarms, replication, unconfirmedMs }: LiveMessage): readonly Said[] {
  const isCritical = alarms.some(({ severity }) => severity === 'critical');
  const orders: Said =
    ordersRefused !== null
      ? ['bad', `orders are refused: ${ordersRefused}`]
      : replication !== null && isHeldUp(replication)
        ? ['warn', 'orders wait']
        : ['good', 'orders are taken'];
  const raised = alarms.length === 1 ? '1 alarm' : `${alarms.length} alarms`;
  return [
    orders,
    ...(unconfirmedMs === null ? [] : [['bad', 'the clock is not confirmed', linkTo('overview')] as const]),
    ...(alarms.length === 0 ? [] : [[isCritical ? 'bad' : 'warn', raised, linkTo('overview')] as const]),
    ...(replication === null ? [] : [leadsOf(replication)]),
  ];
}

function leadsOf(status: LeaderStatus): Said {
  const { node, lease } = status;
  const findings = leaderFindings(status, null);
  const tone = findings.length === 0 ? 'good' : findings[0]?.severity === 'critical' ? 'bad' : 'warn';
  const problems = ['', ', 1 problem'][findings.length] ?? `, ${findings.length} problems`;
  const text = lease === 'held' ? `${node} leads${problems}` : `the lease of ${node} has lapsed`;
  return [tone, text, linkTo('replication')];
}
