/** Findings of an operator about the replicated log, from its figures, with advice. */
import type { ComponentChildren } from 'preact';
import { ALARMS } from '../../../metrics/alarm-list.js';
import {
  type LeaderStatus,
  LOG_AWAY_MS,
  STANDBY_BEHIND_MS,
  type StandbyStatus,
} from '../../../metrics/replication.js';
import { timeText } from './format.js';

export interface Finding {
  readonly severity: 'critical' | 'warning';
  /** Its texts stay the same as long as its cause does: screen readers say them once. */
  readonly what: string;
  readonly detail?: string;
  readonly advice?: string;
  /** The alarm for the same cause, which is often raised later: it is not said twice. */
  readonly alarm?: string;
  /** Does something about it at once, or leads to it. */
  readonly button?: ComponentChildren;
}

/** The sender's wall clock; null if its clock is manual. */
type NowMs = number | null;

/** As a leader sees it, the worst first. */
export function leaderFindings(status: LeaderStatus, nowMs: NowMs): readonly Finding[] {
  const { lease, trouble, standbys } = status;
  return [
    ...(lease === 'lapsed' ? [LAPSED] : []),
    ...outage(status, nowMs, {
      what: 'The NATS servers do not answer this machine as they must: no order is acknowledged until they do.',
      advice:
        'Most of them must run and reach each other, and this machine must reach them. Accepted orders are answered then.',
    }),
    // Standbys are heard of through the same servers.
    ...(trouble === null && standbys.length === 0 ? [ofAlarm('standby_missing')] : []),
    ...(standbys.some(isBehind) ? [ofAlarm('standby_behind')] : []),
  ];
}

const LAPSED: Finding = {
  severity: 'critical',
  what: 'This machine has not renewed its lease in time: a standby may lead by now.',
  advice:
    'See the console of the other machine. If that one leads, this one ends by itself once it hears so, and acknowledges nothing before. If not, this one goes on once the NATS servers answer.',
};

/** As a standby sees it, the worst first. */
export function standbyFindings(status: StandbyStatus, nowMs: NowMs): readonly Finding[] {
  // While the servers do not answer, all the other figures are old.
  if (status.trouble !== null) {
    return outage(status, nowMs, {
      what: 'The NATS servers do not answer this machine, or have lost messages: until that is over it does not take over.',
      advice:
        'If the reason says what to do, do that. Otherwise most of the servers must run and reach each other, and this machine must reach them. Whether somebody leads is in the console of the other machine.',
    });
  }
  if (status.messagesBehind === null) return [BEGINS];
  const ofLease = LEASE_FINDINGS[status.lease];
  return [
    ...(ofLease === undefined ? [] : [ofLease]),
    ...(isBehind(status) ? [ofAlarm('standby_behind')] : []),
  ];
}

const BEGINS: Finding = {
  severity: 'warning',
  what: 'This machine has only just begun to look at the stream.',
  advice: 'Wait for some seconds.',
};
const TAKES_OVER =
  'Nothing: this machine leads as soon as it has read all of the stream, and this page becomes the console of the leader.';
const LEASE_FINDINGS: Readonly<Partial<Record<StandbyStatus['lease'], Finding>>> = {
  none: {
    severity: 'warning',
    what: 'Nobody has ever led here.',
    advice: 'Start the machine that has the journal, with TOTE_ROLE=auto or leader.',
  },
  lapsed: {
    severity: 'critical',
    what: 'The leader has not renewed its lease in time.',
    advice: TAKES_OVER,
  },
  released: { severity: 'warning', what: 'The leader has handed over.', advice: TAKES_OVER },
};

/** A leader can acknowledge nothing for now. */
export const isHeldUp = ({ trouble, lease }: LeaderStatus): boolean => trouble !== null || lease === 'lapsed';

/** Further behind than a standby that follows; false if it does not know. */
export const isBehind = ({ behindMs }: Pick<StandbyStatus, 'behindMs'>): boolean =>
  behindMs !== null && behindMs > STANDBY_BEHIND_MS;

function outage(
  { trouble, awayMs }: Pick<LeaderStatus, 'trouble' | 'awayMs'>,
  nowMs: NowMs,
  text: Pick<Finding, 'what' | 'advice'>,
): readonly Finding[] {
  if (trouble === null) return [];
  const since = nowMs === null ? '' : `Since ${timeText(nowMs - awayMs)} UTC. `;
  const severity = awayMs > LOG_AWAY_MS ? 'critical' : 'warning';
  return [{ alarm: 'replication_away', severity, ...text, detail: `${since}The reason: ${trouble}` }];
}

/** In the words of the alarm, which is raised when this has lasted for a while. */
function ofAlarm(name: string): Finding {
  const alarm = ALARMS.find((one) => one.name === name);
  if (alarm === undefined) throw new Error(`there is no alarm ${name}`);
  const { severity, what, advice } = alarm;
  return { alarm: name, severity, what: `${what.charAt(0).toUpperCase()}${what.slice(1)}.`, advice };
}
