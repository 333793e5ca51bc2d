/** The machines of the exchange: as the leader sees them, and, on a standby, whom it follows and how far. */
import type { JSX } from 'preact';
import {
  type LeaderStatus,
  LOG_AWAY_MS,
  STANDBY_BEHIND_MS,
  type StandbyStatus,
} from '../../../metrics/replication.js';
import type { StandbyMessage } from '../../live-message.js';
import { Badge, Figures } from '../parts/basics.js';
import { Table } from '../parts/list.js';
import { count, duration, timeText } from '../state/format.js';
import { isFresh } from '../state/live.js';

export function Machines({ status }: { readonly status: LeaderStatus | null }): JSX.Element {
  if (status === null)
    return (
      <p>
        This exchange runs on one machine: its journal is here alone, and no other machine takes over if this
        one is lost.
      </p>
    );
  const { node, lease, leaseAgeMs, standbys, epoch, streamSequence } = status;
  return (
    <>
      <Figures
        of={{
          'This machine': `${node}, the leader`,
          Lease: (
            <>
              <Badge tone={lease === 'held' ? 'good' : 'bad'}>{lease}</Badge> renewed {duration(leaseAgeMs)}{' '}
              ago
            </>
          ),
          'NATS servers': servers(status),
          Epoch: count(epoch),
          'Last message of the stream': count(streamSequence),
        }}
      />
      <Table
        caption="Standbys"
        rows={standbys}
        empty="No standby was heard of for some seconds."
        columns={[
          ['Standby', (one) => one.node],
          [
            'State',
            (one) => (isBehind(one) ? <Badge tone="warn">behind</Badge> : <Badge tone="good">follows</Badge>),
          ],
          ['#Messages behind', ({ messagesBehind }) => count(messagesBehind)],
          ['#Had all', ({ behindMs }) => hadAll(behindMs)],
          ['#Heard of', ({ heardMsAgo }) => `${duration(heardMsAgo)} ago`],
        ]}
      />
      <p>{outlookOf(status)}</p>
    </>
  );
}

function outlookOf({ lease, standbys }: LeaderStatus): string {
  if (lease === 'lapsed')
    return 'This machine has not renewed its lease in time: a standby may lead by now. See the console of the other machine. If that one leads, this one ends by itself once it hears so, and acknowledges nothing before. If not, this one goes on once the NATS servers answer.';
  if (standbys.length === 0) return 'If this machine ends, nobody takes over.';
  const names = standbys.map(({ node }) => node).join(' or ');
  return `An order is acknowledged once it is on this machine's disk and on most of the NATS servers. If this machine ends, ${names} takes over by itself.`;
}

/** Further behind than a standby that follows; false if it does not know. */
const isBehind = ({ behindMs }: Pick<StandbyStatus, 'behindMs'>): boolean =>
  behindMs !== null && behindMs > STANDBY_BEHIND_MS;

/** For the time at which a standby had read all of the stream. */
const hadAll = (behindMs: number): string => (behindMs === 0 ? 'now' : `${duration(behindMs)} ago`);

const servers = ({ trouble, awayMs }: LeaderStatus | StandbyStatus): JSX.Element =>
  trouble === null ? (
    <Badge tone="good">answer</Badge>
  ) : (
    <Badge tone="bad">trouble for {duration(awayMs)}</Badge>
  );

const NOT_KNOWN = 'not known';

/** The console of a standby shows only this; the leader shows the rest. */
export function StandbyView({ replication: status, timeMs }: StandbyMessage): JSX.Element {
  const { node, leader, epoch, lease, leaseAgeMs, sequence, streamSequence, messagesBehind, behindMs } =
    status;
  const [tone, outlook] = outlookOfStandby(status, timeMs);
  // Both are null while there is trouble with the NATS servers.
  const isKnown = messagesBehind !== null && behindMs !== null;
  return (
    <>
      <h1>Standby</h1>
      {isFresh.value && (
        <p>
          <Badge tone={tone}>{TONES[tone]}</Badge> {outlook}
        </p>
      )}
      <p>
        This machine serves no orders and shows no markets.{' '}
        {isKnown && leader !== null && `Everything else is in the console of the leader, ${leader}.`}
      </p>
      <Figures
        of={{
          'This machine': node,
          Leader: `${leader ?? NOT_KNOWN}${leader !== null && !isKnown ? ', when last heard of' : ''}`,
          Epoch: count(epoch),
          "Leader's lease": (
            <>
              {isKnown ? <Badge tone={lease === 'held' ? 'good' : 'warn'}>{lease}</Badge> : NOT_KNOWN}
              {leaseAgeMs !== null && `, renewed ${duration(leaseAgeMs)} ago`}
            </>
          ),
          'NATS servers': servers(status),
          'Messages behind': isKnown ? count(messagesBehind) : NOT_KNOWN,
          'Had all': isKnown ? hadAll(behindMs) : NOT_KNOWN,
          'Last message of the stream': count(streamSequence),
          Commands: count(sequence),
        }}
      />
    </>
  );
}

const TONES = { good: 'all is well', warn: 'warning', bad: 'critical' } as const;

function outlookOfStandby(status: StandbyStatus, nowMs: number): readonly [keyof typeof TONES, string] {
  const { trouble, awayMs, messagesBehind, lease, leader } = status;
  // Meanwhile all the other figures are old.
  if (trouble !== null)
    return [
      awayMs > LOG_AWAY_MS ? 'bad' : 'warn',
      `Since ${timeText(nowMs - awayMs)} UTC there is trouble with the NATS servers: until that is over this machine does not take over. The reason: ${trouble}. If it does not say what to do: most of the servers must run and reach each other, and this machine must reach them. Whether somebody leads is in the console of the other machine.`,
    ];
  if (messagesBehind === null)
    return ['warn', 'This machine has only just begun to look at the stream. Wait for some seconds.'];
  if (lease === 'none')
    return [
      'warn',
      'Nobody has ever led here. Start the machine that has the journal, with TOTE_ROLE=auto or leader.',
    ];
  if (lease !== 'held')
    return [
      lease === 'lapsed' ? 'bad' : 'warn',
      `The leader ${lease === 'lapsed' ? 'has not renewed its lease in time' : 'has handed over'}: this machine leads as soon as it has read all of the stream, and this page becomes the console of the leader.`,
    ];
  if (isBehind(status))
    return [
      'warn',
      'This standby is behind the stream: a takeover would take that much longer. It catches up by itself after a start. If it does not: its disk, its cores, its link to NATS.',
    ];
  return ['good', `This machine follows ${leader ?? 'the leader'}, and takes over by itself if that ends.`];
}
