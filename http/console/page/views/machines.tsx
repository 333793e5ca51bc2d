/** The machines of the exchange: as the leader sees them, and, on a standby, whom it follows and how far. */
import type { JSX } from 'preact';
import type { LeaderStatus } from '../../../metrics/replication.js';
import type { StandbyMessage } from '../../live-message.js';
import { Badge, Figure, Figures, Findings, Loading, Table } from '../parts/basics.js';
import { count, duration } from '../state/format.js';
import { live, standby } from '../state/live.js';
import { isBehind, leaderFindings, standbyFindings } from '../state/replication.js';

export function ReplicationView(): JSX.Element {
  const message = live.value;
  const status = message?.replication ?? null;
  if (message === null) return <Loading error="" />;
  const names = status?.standbys.map(({ node }) => node).join(' or ');
  return (
    <>
      <h1>Replication</h1>
      {status !== null && (
        <>
          <Findings
            title="State"
            findings={leaderFindings(status, message.isClockManual ? null : message.timeMs)}
            isFine={`This machine leads. An order is acknowledged once it is on this machine's disk and on most of the NATS servers. If this machine ends, ${names} takes over by itself.`}
          />
          <Figures>
            <Figure name="Epoch">{count(status.epoch)}</Figure>
            <Figure name="NATS servers">
              <Servers {...status} />
            </Figure>
            <Figure name="Last message of the stream">{count(status.streamSequence)}</Figure>
          </Figures>
        </>
      )}
      <Machines status={status} />
    </>
  );
}

interface Machine {
  readonly node: string;
  readonly state: JSX.Element;
  readonly lag: readonly [messages: string, hadAll: string, heardOf: string];
}

export function Machines({ status }: { readonly status: LeaderStatus | null }): JSX.Element {
  if (status === null)
    return (
      <p>
        This exchange runs on one machine: its journal is here alone, and no other machine takes over if this
        one is lost.
      </p>
    );
  const { node, lease, leaseAgeMs, standbys } = status;
  const isHeld = lease === 'held';
  const leader: Machine = {
    node,
    state: (
      <>
        <Badge tone={isHeld ? 'good' : 'bad'}>lease {lease}</Badge> renewed {duration(leaseAgeMs)} ago
      </>
    ),
    lag: ['–', '–', 'this machine'],
  };
  const others = standbys.map(
    (one): Machine => ({
      node: one.node,
      state: isBehind(one) ? <Badge tone="warn">behind</Badge> : <Badge tone="good">follows</Badge>,
      lag: [count(one.messagesBehind), hadAll(one.behindMs), `${duration(one.heardMsAgo)} ago`],
    }),
  );
  return (
    <>
      <Table
        caption="Machines"
        rows={[leader, ...others]}
        columns={[
          ['Machine', (machine) => machine.node],
          ['Role', (machine) => (machine === leader ? 'leader' : 'standby')],
          ['State', ({ state }) => state],
          ['#Messages behind', ({ lag: [messages] }) => messages],
          ['#Had all', ({ lag: [, all] }) => all],
          ['#Heard of', ({ lag: [, , heardOf] }) => heardOf],
        ]}
        keyOf={(machine) => machine.node}
      />
      {others.length === 0 && <p>No standby was heard of for some seconds.</p>}
    </>
  );
}

const Servers = ({ trouble, awayMs }: Pick<LeaderStatus, 'trouble' | 'awayMs'>): JSX.Element =>
  trouble === null ? (
    <Badge tone="good">answer</Badge>
  ) : (
    <Badge tone="bad">no answer for {duration(awayMs)}</Badge>
  );

/** For the time at which a standby had read all of the stream. */
const hadAll = (behindMs: number): string => (behindMs === 0 ? 'now' : `${duration(behindMs)} ago`);

const NOT_KNOWN = 'not known';

/** The console of a standby shows only this; the leader shows the rest. */
export function StandbyView(): JSX.Element {
  const message = standby.value;
  return (
    <>
      <h1>Standby</h1>
      {message === null ? <Loading error="" /> : <Following {...message} />}
    </>
  );
}

function Following({ replication: status, timeMs }: StandbyMessage): JSX.Element {
  const { node, leader, epoch, lease, leaseAgeMs, sequence, streamSequence } = status;
  const { messagesBehind, behindMs, trouble } = status;
  // While the servers do not answer, these are old.
  const isKnown = messagesBehind !== null && behindMs !== null && trouble === null;
  return (
    <>
      <Findings
        title="State"
        findings={standbyFindings(status, timeMs)}
        isFine={`This machine follows ${leader ?? 'the leader'}, and takes over by itself if that ends.`}
      />
      <p>
        This machine serves no orders and shows no markets.{' '}
        {isKnown && leader !== null && `Everything else is in the console of the leader, ${leader}.`}
      </p>
      <Figures>
        <Figure name="This machine">{node}</Figure>
        <Figure name="Leader">
          {leader ?? NOT_KNOWN}
          {leader !== null && !isKnown && ', when last heard of'}
        </Figure>
        <Figure name="Epoch">{count(epoch)}</Figure>
        <Figure name="Leader's lease">
          {isKnown ? <Badge tone={lease === 'held' ? 'good' : 'warn'}>{lease}</Badge> : NOT_KNOWN}
          {leaseAgeMs !== null && `, renewed ${duration(leaseAgeMs)} ago`}
        </Figure>
        <Figure name="NATS servers">
          <Servers {...status} />
        </Figure>
        <Figure name="Messages behind">{isKnown ? count(messagesBehind) : NOT_KNOWN}</Figure>
        <Figure name="Had all">{isKnown ? hadAll(behindMs) : NOT_KNOWN}</Figure>
        <Figure name="Last message of the stream">{count(streamSequence)}</Figure>
        <Figure name="Commands">{count(sequence)}</Figure>
      </Figures>
    </>
  );
}
