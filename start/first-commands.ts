/**
 * The commands that a server journals before it serves: the rules and the directory's setup if they differ from the
 * journal, and at the first start the house's money and the demo account.
 */
import { overruled, type ResolvedSetup, resolveRules } from '../config/setup.js';
import { applyRules, declareSetup, fundHouse } from '../engine/host/bootstrap.js';
import type { Sequencer } from '../engine/host/sequencer.js';
import { type Rules, valuesOf } from '../engine/model/rules.js';
import type { Log } from '../process/log/log.js';
import { createDemoAccount } from './demo.js';

/** The house's money where no `tote init` has deposited it. */
const HOUSE_CAPITAL_CENTS = 1_000_000_00;

/** Returns the secret of the demo account's key if it was created now, else null. */
export function submitFirstCommands(
  { config, setup, changes }: ResolvedSetup,
  secretFingerprint: string,
  sequencer: Sequencer,
  log: Log,
): string | null {
  const { seq, rules } = sequencer.engine;
  const resolved = resolveRules(config, setup, rules, secretFingerprint);
  applyRules(sequencer, resolved);
  logChangedRules(log, resolved);
  declareSetup(sequencer, setup);
  if (changes.length > 0) log.write('setup_changed', { changes });
  if (seq > 0) return null;
  fundHouse(sequencer, HOUSE_CAPITAL_CENTS);
  // Where prices are real, nobody is given money.
  const isPretence = config.clock === 'manual' || config.feeds.every((name) => name === 'simulated');
  return config.demo && isPretence ? createDemoAccount(sequencer) : null;
}

/** An operator at a start should know that the file alone is not in force. */
function logChangedRules(log: Log, { layers }: Rules): void {
  const changed = layers === undefined ? [] : valuesOf(layers.operator).map(({ name }) => name);
  if (layers === undefined || changed.length === 0) return;
  log.write('rules_overridden', { changed, overruled: overruled(layers) });
}
