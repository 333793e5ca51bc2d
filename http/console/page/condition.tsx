/** What stands above every view: whether what is shown is of now, whether orders are taken, and who leads. */
import type { JSX } from 'preact';
import type { LeaderStatus } from '../../metrics/replication.js';
import type { LiveMessage } from '../live-message.js';
import { confirmClock, setTrading } from './actions/control.js';
import { Badge } from './parts/basics.js';
import { timeText } from './state/format.js';
import { isFresh, live, standby } from './state/live.js';
import { isHeldUp, leaderFindings } from './state/replication.js';
import { linkTo } from './state/route.js';
import { may } from './state/session.js';

/** Of a server that has sent nothing for some seconds only that is said: what it said before may hold no more. */
export function Condition(): JSX.Element {
  const message = live.value;
  if (message === null) return <Connecting />;
  const { timeMs, isClockManual, arePricesSimulated, trading, unconfirmedMs } = message;
  return (
    <div class="condition">
      {arePricesSimulated && <Badge tone="bad">prices are simulated</Badge>}
      {isFresh.value ? <Now message={message} /> : <NoNews />}
      <Time ms={timeMs} isManual={isClockManual} />
      {unconfirmedMs !== null && (
        <Badge tone="bad">nothing is settled: is it {timeText(unconfirmedMs)}?</Badge>
      )}
      {unconfirmedMs !== null && may('admin') && (
        <button type="button" onClick={confirmClock}>
          Confirm the clock
        </button>
      )}
      {may('admin') && (
        <button type="button" onClick={() => setTrading(!trading.enabled)}>
          {trading.enabled ? 'Stop trading' : 'Resume trading'}
        </button>
      )}
    </div>
  );
}

export function StandbyCondition(): JSX.Element {
  const message = standby.value;
  if (message === null) return <Connecting />;
  return (
    <div class="condition">
      {isFresh.value ? (
        <>
          <Badge tone="good">live</Badge>
          <Badge tone="plain">{message.replication.node} is a standby</Badge>
        </>
      ) : (
        <NoNews />
      )}
      <Time ms={message.timeMs} isManual={false} />
    </div>
  );
}

const Connecting = (): JSX.Element => <p class="condition quiet">Connecting …</p>;

const NoNews = (): JSX.Element => <Badge tone="bad">no news from the server</Badge>;

/** Of the newest message. */
function Time({ ms, isManual }: { readonly ms: number; readonly isManual: boolean }): JSX.Element {
  return (
    <span class="quiet">
      {!isFresh.value && 'since '}
      {timeText(ms)} UTC{isManual && ' (manual clock)'}
    </span>
  );
}

function Now({ message }: { readonly message: LiveMessage }): JSX.Element {
  const { trading, ordersRefused, alarms, replication } = message;
  return (
    <>
      <Badge tone="good">live</Badge>
      <Orders refused={ordersRefused} isWaiting={replication !== null && isHeldUp(replication)} />
      {trading.reason !== '' && !trading.enabled && <span>{trading.reason}</span>}
      {alarms.length > 0 && (
        <a href={linkTo('system')}>
          <Badge tone={alarms.some(({ severity }) => severity === 'critical') ? 'bad' : 'warn'}>
            {alarms.length === 1 ? '1 alarm' : `${alarms.length} alarms`}
          </Badge>
        </a>
      )}
      {replication !== null && <Leads status={replication} />}
    </>
  );
}

function Orders({
  refused,
  isWaiting,
}: {
  readonly refused: string | null;
  readonly isWaiting: boolean;
}): JSX.Element {
  if (refused !== null) return <Badge tone="bad">orders are refused: {refused}</Badge>;
  return isWaiting ? <Badge tone="warn">orders wait</Badge> : <Badge tone="good">orders are taken</Badge>;
}

/** Who leads, and whether anything is wrong with that. */
function Leads({ status }: { readonly status: LeaderStatus }): JSX.Element {
  const { node, lease } = status;
  const findings = leaderFindings(status, null);
  const [worst] = findings;
  const tone = worst === undefined ? 'good' : worst.severity === 'critical' ? 'bad' : 'warn';
  const problems = ['', ', 1 problem'][findings.length] ?? `, ${findings.length} problems`;
  return (
    <a href={linkTo('replication')}>
      <Badge tone={tone}>
        {lease === 'held' ? `${node} leads${problems}` : `the lease of ${node} has lapsed`}
      </Badge>
    </a>
  );
}
