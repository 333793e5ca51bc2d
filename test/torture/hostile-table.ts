/** Prints the figures of attacks: a row for each, and notes. */
import { must } from '../../engine/base/assert.js';
import type { Attack } from './attacks.js';
import type { Felt, Pair } from './hostile.js';

/** A polite client's p99 under attack is to stay within so many times its quiet value. */
export const RATIO_MAX = 2;

export const HEADING =
  `${'attack'.padEnd(28)} sockets | quiet p50    p99 ms | attacked p50    p99 ms | p99 x (each pair) | ` +
  'client late p99 ms, quiet / attacked | server core, quiet / attacked';

/** The middle one, or the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = must(sorted[sorted.length >> 1], 'a value');
  return sorted.length % 2 === 1 ? upper : (upper + must(sorted[(sorted.length >> 1) - 1], 'a value')) / 2;
}

const ratioOf = ({ quiet, attacked }: Pair): number => attacked.latency.p99Us / quiet.latency.p99Us;

/** The median of the pairs' ratios. */
export const ratio = (pairs: readonly Pair[]): number => medianOf(pairs.map(ratioOf));

export function row({ name, sockets }: Attack, pairs: readonly Pair[]): string {
  const over = (kind: 'quiet' | 'attacked', figure: (felt: Felt) => number): number =>
    medianOf(pairs.map((pair) => figure(pair[kind])));
  const ms = (kind: 'quiet' | 'attacked', which: 'latency' | 'lateness', at: 'p50Us' | 'p99Us'): string =>
    (over(kind, (felt) => felt[which][at]) / 1_000).toFixed(2);
  const core = (kind: 'quiet' | 'attacked'): string =>
    `${(over(kind, ({ cpu }) => cpu?.process ?? Number.NaN) * 100).toFixed(0)} %`;
  const each = pairs.map((pair) => ratioOf(pair).toFixed(2)).join(' ');
  const within = ratio(pairs) <= RATIO_MAX ? `within ${RATIO_MAX}` : `NOT within ${RATIO_MAX}`;
  return [
    `${name.padEnd(28)} ${String(sockets).padStart(7)}`,
    `${ms('quiet', 'latency', 'p50Us').padStart(9)} ${ms('quiet', 'latency', 'p99Us').padStart(9)}`,
    `${ms('attacked', 'latency', 'p50Us').padStart(12)} ${ms('attacked', 'latency', 'p99Us').padStart(9)}`,
    `${ratio(pairs).toFixed(2)} (${each}) ${within}`,
    `${ms('quiet', 'lateness', 'p99Us')} / ${ms('attacked', 'lateness', 'p99Us')}`,
    `${core('quiet')} / ${core('attacked')}`,
  ].join(' | ');
}

/** What the attack did in a window and what it cost the server, and where it was weaker than it should be. */
export function details(pairs: readonly Pair[]): string | null {
  const measured = pairs.flatMap(({ deeds, quiet, attacked }) =>
    deeds === null ? [] : [{ deeds, quiet, attacked }],
  );
  if (measured.length === 0) return null;
  const opened = medianOf(measured.map(({ deeds }) => deeds.opened));
  const sent = medianOf(measured.map(({ deeds }) => deeds.sent));
  const costs = measured.flatMap(({ quiet, attacked, deeds }) =>
    quiet.cpu === null || attacked.cpu === null
      ? []
      : [
          ((attacked.cpu.process - quiet.cpu.process) * attacked.windowMs * 1_000) /
            (deeds.opened + deeds.sent),
        ],
  );
  const cost =
    costs.length === 0 ? '' : `: ${medianOf(costs).toFixed(1)} us of the server's CPU time for each`;
  const reasons = measured.flatMap(({ deeds }) =>
    Object.entries(deeds.failed).map(([reason, count]) => `${reason} ${count}`),
  );
  const failures = reasons.length === 0 ? '' : `; connections that it did not get: ${reasons.join(', ')}`;
  return `    in a window ${opened} connections made and ${sent} pieces sent${cost}${failures}`;
}
