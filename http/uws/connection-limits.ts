/**
 * How many connections a port may have, by the descriptors that the process may have. Without descriptors to spare not
 * even its own memory can be looked at (Linux: a file), so a flood of connections must never take the last ones.
 */
import { readFileSync } from 'node:fs';
import { CONNECTIONS_MAX } from './transport.js';

/** Operators are few. */
const OPERATOR_CONNECTIONS_MAX = 256;
/** For files, pipes and threads. */
const OWN_DESCRIPTORS = 256;

export interface ConnectionLimits {
  readonly publicMax: number;
  readonly operatorMax: number;
}

/** For a process that may have so many descriptors; where they are very few, half stay for the process itself. */
export function connectionLimits(descriptors: number): ConnectionLimits {
  const operatorMax = Math.min(OPERATOR_CONNECTIONS_MAX, Math.floor(descriptors / 8));
  const left = Math.max(descriptors - OWN_DESCRIPTORS - operatorMax, Math.floor((descriptors * 3) / 8));
  return { publicMax: Math.min(CONNECTIONS_MAX, left), operatorMax };
}

/** What an operator should know where the descriptors leave fewer connections than usual; null where they do not. */
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

/** Descriptors that this process may have: Node has raised its limit as far as it goes. Infinity where that is not told. */
export function descriptorsMax(): number {
  try {
    return descriptorsIn(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Infinity;
  }
}

/** From the text of `/proc/<pid>/limits`. */
export function descriptorsIn(limits: string): number {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? Infinity : Number(soft);
}
