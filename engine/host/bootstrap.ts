/**
 * The first commands of a server: the rules and the setup, if they differ from those in force, and at the very first
 * start the house's capital. They are journaled like any other command.
 */
import { assert } from '../base/assert.js';
import type { SubmittedCommand } from '../model/commands.js';
import type { Accepted } from '../model/events.js';
import { RULES_VERSION, type Rules } from '../model/rules.js';
import type { Setup } from '../model/setup.js';
import type { Sequencer } from './sequencer.js';

export const CAPITAL_REFERENCE = 'initial-capital';

export function mustSubmit(sequencer: Sequencer, command: SubmittedCommand): Accepted {
  const outcome = sequencer.submit(command);
  assert(outcome.status === 'accepted', `${command.kind} at the start is ${outcome.status}`);
  return outcome;
}

export function applyRules(sequencer: Sequencer, rules: Rules): void {
  const { engine } = sequencer;
  if (engine.rulesVersion === RULES_VERSION && isSame(engine.rules, rules)) return;
  mustSubmit(sequencer, {
    kind: 'configure',
    timeMs: sequencer.stampMs(),
    rulesVersion: RULES_VERSION,
    rules,
  });
}

export function declareSetup(sequencer: Sequencer, { feed, clock, rulesFrom }: Setup): void {
  if (isSame(sequencer.engine.setup, { feed, clock, rulesFrom })) return;
  mustSubmit(sequencer, { kind: 'declareSetup', timeMs: sequencer.stampMs(), feed, clock, rulesFrom });
}

export function fundHouse(sequencer: Sequencer, amountCents: number): void {
  if (amountCents === 0) return;
  mustSubmit(sequencer, {
    kind: 'depositHouse',
    timeMs: sequencer.stampMs(),
    amountCents,
    reference: CAPITAL_REFERENCE,
  });
}

/** Fields are always created in the same order, so JSON texts can be compared. */
const isSame = <T>(a: T | null, b: T): boolean => JSON.stringify(a) === JSON.stringify(b);
