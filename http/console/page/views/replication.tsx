/** The replicated log as the leader sees it: its lease, the stream, and the standbys. */
import type { JSX } from 'preact';
import type { LeaderStatus } from '../../../metrics/replication.js';
import { Badge, Figure, Figures, Loading, Table } from '../parts/basics.js';
import { hadAll, Servers, State, Words } from '../parts/replication.js';
import { count, duration } from '../state/format.js';
import { live } from '../state/live.js';
import { isBehind, leaderFindings } from '../state/replication.js';

export function ReplicationView(): JSX.Element {
  const message = live.value;
  return (
    <>
      <h1>Replication</h1>
      {message === null ? (
        <Loading error="" />
      ) : message.replication === null ? (
        <OneMachine />
      ) : (
        <Leader status={message.replication} nowMs={message.isClockManual ? null : message.timeMs} />
      )}
    </>
  );
}

export const OneMachine = (): JSX.Element => (
  <p>
    This exchange runs on one machine: its journal is here alone, and no other machine takes over if this one
    is lost.
  </p>
);

function Leader({
  status,
  nowMs,
}: {
  readonly status: LeaderStatus;
  readonly nowMs: number | null;
}): JSX.Element {
  const { node, epoch, streamSequence, lease, leaseAgeMs, standbys } = status;
  return (
    <>
      <State
        findings={leaderFindings(status, nowMs)}
        isFine={`This machine leads. An order is acknowledged once it is on this machine's disk and on most of the NATS servers. If this machine ends, ${namesOf(standbys)} takes over by itself.`}
      />
      <Figures>
        <Figure name="This machine">{node}</Figure>
        <Figure name="Role">leader</Figure>
        <Figure name="Epoch">{count(epoch)}</Figure>
        <Figure name="Lease">
          <Badge tone={lease === 'held' ? 'good' : 'bad'}>{lease}</Badge> renewed {duration(leaseAgeMs)} ago
        </Figure>
        <Figure name="NATS servers">
          <Servers {...status} />
        </Figure>
        <Figure name="Last message of the stream">{count(streamSequence)}</Figure>
      </Figures>
      <h2>Standbys</h2>
      {standbys.length === 0 ? <p>None was heard of for some seconds.</p> : <Standbys standbys={standbys} />}
      <Words />
    </>
  );
}

const namesOf = (standbys: LeaderStatus['standbys']): string => standbys.map(({ node }) => node).join(' or ');

function Standbys({ standbys }: Pick<LeaderStatus, 'standbys'>): JSX.Element {
  return (
    <Table
      caption="Standbys"
      rows={standbys}
      columns={[
        ['Machine', ({ node }) => node],
        [
          'State',
          (standby) =>
            isBehind(standby) ? <Badge tone="warn">behind</Badge> : <Badge tone="good">follows</Badge>,
        ],
        ['#Messages behind', ({ messagesBehind }) => count(messagesBehind)],
        ['#Had all', ({ behindMs }) => hadAll(behindMs)],
        ['#Heard of', ({ heardMsAgo }) => `${duration(heardMsAgo)} ago`],
      ]}
      keyOf={({ node }) => node}
    />
  );
}
