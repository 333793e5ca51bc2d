/**
 * How many connections a port accepts, given the file descriptors that the process may open. A flood of connections
 * must never take the last ones: the journal needs them, and on Linux even reading the process's own memory use.
 */
import { readFileSync } from 'node:fs';
import { CONNECTIONS_MAX } from './transport.js';

/** Operators are few. */
const OPERATOR_CONNECTIONS_MAX = 256;
/** Kept free for files, pipes and threads. */
const OWN_DESCRIPTORS = 256;

export interface ConnectionLimits {
  readonly publicMax: number;
  readonly operatorMax: number;
}

/** The limits for a process with this many descriptors. If there are very few, half are kept for the process itself. */
export function connectionLimits(descriptors: number): ConnectionLimits {
  const operatorMax = Math.min(OPERATOR_CONNECTIONS_MAX, Math.floor(descriptors / 8));
  const left = Math.max(descriptors - OWN_DESCRIPTORS - operatorMax, Math.floor((descriptors * 3) / 8));
  return { publicMax: Math.min(CONNECTIONS_MAX, left), operatorMax };
}

/** A warning for the operator if the descriptors allow fewer connections than usual, or null. */
export function limitsNote(descriptors: number): string | null {
  const { publicMax, operatorMax } = connectionLimits(descriptors);
  if (publicMax === CONNECTIONS_MAX) return null;
  const enough = CONNECTIONS_MAX + OPERATOR_CONNECTIONS_MAX + OWN_DESCRIPTORS;
  return (
    `this process may open only ${descriptors} files, which leaves ${publicMax} public connections ` +
    `(of ${CONNECTIONS_MAX}) and ${operatorMax} for operators (of ${OPERATOR_CONNECTIONS_MAX}): ` +
    `raise \`ulimit -n\` to ${enough} or more and start again`
  );
}

/**
 * Descriptors that this process may open: Node has already raised the soft limit to the hard one. Infinity if
 * unknown.
 */
export function descriptorsMax(): number {
  try {
    return descriptorsIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Infinity;
  }
}

/** Reads the limit from the text of `/proc/<pid>/limits`. */
export function descriptorsIn(limits: string): number {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? Infinity : Number(soft);
}
