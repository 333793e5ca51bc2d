/**
 * The attackers' process: starts and stops attacks on request. Polite clients on the same core have a higher
 * priority.
 */
import { getPriority, setPriority } from 'node:os';
import { must } from '../../engine/base/assert.js';
import { ATTACKS, type Deeds, type RunningAttack } from './attacks.js';

export type ToAttacker =
  | { readonly type: 'begin'; readonly name: string; readonly port: number }
  | { readonly type: 'stop' };
export interface FromAttacker {
  readonly deeds: Deeds | null;
}

/** The difference of its nice value to the polite clients'. */
const LOWER_BY = 10;
const LOWEST = 19;

setPriority(Math.min(LOWEST, getPriority() + LOWER_BY));
let running: RunningAttack | null = null;

process.on('message', (message: ToAttacker) => {
  if (message.type === 'begin') {
    const { begin } = must(
      ATTACKS.find(({ name }) => name === message.name),
      message.name,
    );
    running = begin(message.port);
  } else {
    running?.stop();
  }
  process.send?.({ deeds: running?.deeds ?? null } satisfies FromAttacker);
});
process.once('disconnect', () => {
  running?.stop();
  process.exit();
});
