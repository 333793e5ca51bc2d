/** Metrics of threads, by the thread's name. */

import type { Guesses } from '../../../engine/model/operators.js';
import { BACKGROUND_THREADS } from '../engine-figures.js';
import type { Reading, ThreadFigures } from '../readings.js';
import { counter, type Family, gauge, histogram, type Labelled } from './family.js';

export const clientFaultsFamily = (byThread: Labelled): Family =>
  counter(
    'tote_client_faults_total',
    "Programming errors that have ended one client's request or stream, by the thread that served it",
    byThread,
  );

export function threadFamilies({ threads, gauges }: Reading): Family[] {
  const by = (figure: (of: ThreadFigures) => number): Labelled =>
    threads.map((one) => [{ thread: one.name }, figure(one)]);
  const background = BACKGROUND_THREADS.map(
    (thread) => [{ thread }, gauges.get(`${thread}ActiveMs`) / 1_000] as const,
  );
  return [
    counter(
      'tote_thread_busy_seconds_total',
      'Time in which the event loop of a thread did not wait for anything',
      [...by(({ activeMs }) => activeMs / 1_000), ...background],
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

/** Since the start of the server. */
export type GuessCounts = Pick<Guesses, 'wrong' | 'refused'>;

export const accessFamilies = ({ wrong, refused }: GuessCounts): Family[] => [
  counter(
    'tote_operator_tokens_refused_total',
    'Requests with a wrong operator token (wrong), and all from an address that had sent too many of them (unseen)',
    [
      [{ reason: 'wrong' }, wrong],
      [{ reason: 'unseen' }, refused],
    ],
  ),
];
