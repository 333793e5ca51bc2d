/** All metrics, made of what the threads have counted (`gauges.ts` declares those of the engine's thread). */
import { RATE_LIMIT_NAMES } from '../../../config/rate-limits.js';
import { COMMAND_KINDS } from '../../../engine/model/command-codec.js';
import { ERROR_CODES } from '../../../engine/model/errors.js';
import type { Guesses } from '../../../engine/model/operators.js';
import { ENGINE_PLACES, OUTCOMES } from '../engine-meter.js';
import { GATEWAY_PLACES, type RouteName, STATUSES, STREAM_ENDS } from '../gateway-meter.js';
import {
  BACKGROUND_THREADS,
  GAUGES,
  type GaugeName,
  inUnit,
  LABELLED_GAUGES,
  LOG_GAUGES,
  type LogGaugeName,
  SPACE_LEVELS,
} from '../gauges.js';
import type { Reading, ThreadFigures } from '../readings.js';
import { counter, type Family, gauge, happened, histogram, type Labelled } from './family.js';

/** Since the start of the server. */
type GuessCounts = Pick<Guesses, 'wrong' | 'refused'>;

export const allFamilies = (
  reading: Reading,
  routes: readonly RouteName[],
  guesses: GuessCounts,
): Family[] => [
  ...gatewayFamilies(reading, routes),
  ...engineFamilies(reading),
  ...logFamilies('leader', (name) => reading.gauges.get(name)),
  histogram(
    'tote_replication_publish_duration_seconds',
    'Time of each batch from being given to the replication until a majority of the NATS servers has it',
    Number.isNaN(reading.gauges.get('epoch')) ? [] : [[{}, reading.publish]],
  ),
  ...threadFamilies(reading),
  accessFamily(guesses),
];

function gatewayFamilies(reading: Reading, routes: readonly RouteName[]): Family[] {
  const { gateways, connections, connectionsTaken, orders, stages } = reading;
  const counted = (at: number, label: string, names: readonly string[]): Labelled =>
    names.map((name, index) => [{ [label]: name }, gateways[at + index] ?? 0]);
  return [
    counter(
      'tote_http_requests_total',
      'Answered requests of the public API by route and status; orders over streams have the method STREAM, what is no route has the route "other"',
      happened(
        routes.flatMap(({ method, path }, route) =>
          STATUSES.map((status, at) => [
            { method, route: path, status: status === 0 ? 'other' : status },
            gateways[GATEWAY_PLACES.requests + route * STATUSES.length + at] ?? 0,
          ]),
        ),
      ),
    ),
    counter(
      'tote_refusals_total',
      'Refused requests of the public API by error code',
      happened(counted(GATEWAY_PLACES.refusals, 'code', ERROR_CODES)),
    ),
    counter(
      'tote_rate_limited_total',
      'Requests that a rate limit refused, by the limit that was named to the client',
      RATE_LIMIT_NAMES.map(([limit], at) => [{ limit }, gateways[GATEWAY_PLACES.limited + at] ?? 0]),
    ),
    histogram(
      'tote_order_duration_seconds',
      'Time of accepted orders at the server, from the whole request until its answer is handed to the socket',
      [[{}, orders]],
    ),
    histogram(
      'tote_order_stage_duration_seconds',
      'Parts of that time: ring (until the engine takes it), engine (applied, and waiting for the commit before), commit (until durable), release (until sent)',
      stages.map(({ name, took }) => [{ stage: name }, took]),
    ),
    gauge('tote_http_connections', 'Open connections of the public port, streams included', connections),
    gauge(
      'tote_connections_taken_share',
      "The part of a port's connections that is taken",
      Object.entries(connectionsTaken).map(([port, share]) => [{ port }, share]),
    ),
    gauge('tote_streams', 'Open streams', gateways[GATEWAY_PLACES.streams] ?? 0),
    counter(
      'tote_streams_opened_total',
      'Streams that were opened',
      gateways[GATEWAY_PLACES.streamsOpened] ?? 0,
    ),
    counter(
      'tote_streams_ended_total',
      'Streams that have ended, by the error code with which the server ended them; "closed" for all others',
      happened(counted(GATEWAY_PLACES.streamEnds, 'reason', STREAM_ENDS)),
    ),
  ];
}

function engineFamilies({ engine, gauges, batchCommands, commit, monotonicMs }: Reading): Family[] {
  return [
    counter(
      'tote_commands_total',
      'Commands by kind and outcome',
      happened(
        COMMAND_KINDS.flatMap((kind, at) =>
          OUTCOMES.map((outcome, index) => [
            { kind, outcome },
            engine[ENGINE_PLACES.commands + at * OUTCOMES.length + index] ?? 0,
          ]),
        ),
      ),
    ),
    histogram('tote_batch_commands', 'Commands in each durable batch', [[{}, batchCommands]]),
    histogram(
      'tote_commit_duration_seconds',
      'Time of each batch from the journal taking it until it is durable',
      [[{}, commit]],
    ),
    gauge(
      'tote_engine_turn_age_seconds',
      "Time since a turn of the engine's thread has ended",
      Math.max(0, monotonicMs - gauges.get('turnEndedMs')) / 1_000,
    ),
    gauge(
      'tote_space_level',
      'Free space: 1 for the level that holds',
      SPACE_LEVELS.map((level, at) => [{ level }, Number(gauges.get('spaceLevel') === at)]),
    ),
    ...Object.entries(GAUGES).map(([name, [metric, help]]) =>
      gauge(metric, help, gauges.shown(name as GaugeName)),
    ),
    ...Object.entries(LABELLED_GAUGES).map(([name, [metric, help, label, values]]) =>
      gauge(
        metric,
        help,
        values.map((value, at) => [{ [label]: value }, gauges.shown(`${name}${at}` as GaugeName)]),
      ),
    ),
  ];
}

/** The same on leader and standby; without samples where the journal is on one machine alone. */
export function logFamilies(
  role: 'leader' | 'standby',
  figureOf: (name: LogGaugeName) => number | null | undefined,
): Family[] {
  const shown = (name: LogGaugeName): number => inUnit(name, figureOf(name) ?? Number.NaN);
  const has = (one: string): number => (Number.isNaN(shown('epoch')) ? Number.NaN : Number(one === role));
  return [
    gauge(
      'tote_replication_role',
      'The role of this server: 1 for the one that it has',
      ['leader', 'standby'].map((one) => [{ role: one }, has(one)]),
    ),
    ...Object.entries(LOG_GAUGES).map(([name, [metric, help]]) =>
      gauge(metric, help, shown(name as LogGaugeName)),
    ),
  ];
}

export const clientFaultsFamily = (byThread: Labelled): Family =>
  counter(
    'tote_client_faults_total',
    "Programming errors that have ended one client's request or stream, by the thread that served it",
    byThread,
  );

function threadFamilies({ threads, gauges }: Reading): Family[] {
  const by = (figure: (of: ThreadFigures) => number): Labelled =>
    threads.map((one) => [{ thread: one.name }, figure(one)]);
  return [
    counter(
      'tote_thread_busy_seconds_total',
      'Time in which the event loop of a thread did not wait for anything',
      [
        ...by(({ activeMs }) => activeMs / 1_000),
        ...BACKGROUND_THREADS.map((thread) => [{ thread }, gauges.shown(`${thread}ActiveMs`)] as const),
      ],
    ),
    clientFaultsFamily(by((one) => one.clientFaults)),
    histogram(
      'tote_thread_delay_seconds',
      'How late the event loop of a thread comes: the longest delay in each second',
      threads.map(({ name, delay }) => [{ thread: name }, delay]),
    ),
    gauge(
      'tote_thread_heap_used_bytes',
      'Heap in use by thread',
      by((one) => one.heapUsedBytes),
    ),
    gauge(
      'tote_thread_heap_bytes',
      'Size of the heap by thread',
      by((one) => one.heapTotalBytes),
    ),
    gauge(
      'tote_thread_external_bytes',
      'Memory outside the heap that its objects hold, by thread, without what threads share',
      by((one) => one.externalBytes),
    ),
  ];
}

export const accessFamily = ({ wrong, refused }: GuessCounts): Family =>
  counter(
    'tote_operator_tokens_refused_total',
    'Requests with a wrong operator token (wrong), and all from an address that had sent too many of them (unseen)',
    [
      [{ reason: 'wrong' }, wrong],
      [{ reason: 'unseen' }, refused],
    ],
  );
