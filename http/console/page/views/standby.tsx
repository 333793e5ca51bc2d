/** All that the console of a standby shows: whom it follows, and how far. Everything else is the leader's to show. */
import type { JSX } from 'preact';
import type { StandbyStatus } from '../../../metrics/replication.js';
import { Badge, Figure, Figures, Loading } from '../parts/basics.js';
import { hadAll, Servers, State, Words } from '../parts/replication.js';
import { count, duration } from '../state/format.js';
import { standby } from '../state/live.js';
import { standbyFindings } from '../state/replication.js';

export function StandbyView(): JSX.Element {
  const message = standby.value;
  return (
    <>
      <h1>Standby</h1>
      {message === null ? (
        <Loading error="" />
      ) : (
        <Status status={message.replication} nowMs={message.timeMs} />
      )}
    </>
  );
}

function Status({ status, nowMs }: { readonly status: StandbyStatus; readonly nowMs: number }): JSX.Element {
  const { node, leader, epoch, lease, leaseAgeMs, sequence, streamSequence } = status;
  const { messagesBehind, behindMs, trouble } = status;
  // While the servers do not answer, these are of before.
  const isKnown = messagesBehind !== null && behindMs !== null && trouble === null;
  return (
    <>
      <State
        findings={standbyFindings(status, nowMs)}
        isFine={`This machine follows ${leader ?? 'the leader'}, and takes over by itself if that ends.`}
      />
      <p>
        This machine serves no orders and shows no markets.{' '}
        {isKnown && leader !== null && `Everything else is in the console of the leader, ${leader}.`}
      </p>
      <Figures>
        <Figure name="This machine">{node}</Figure>
        <Figure name="Role">standby</Figure>
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
      <Words />
    </>
  );
}

const NOT_KNOWN = 'not known';
