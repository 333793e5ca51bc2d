/**
 * What a server journals before it serves: the rules and what the directory is set up with, where they differ from what
 * the journal says, and at the very first start the house's money and the demo account.
 */

import { applyRules, declareSetup, fundHouse } from '../../engine/host/bootstrap.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { Setup } from '../../engine/model/setup.js';
import type { Log } from '../log/log.js';
import { createDemoAccount } from './demo.js';
import { type SettledSetup, settleRules } from './setup.js';

/** Returns the secret of the demo account's key where it was made now, else null. */
export function submitFirstCommands(
  { config, setup, changes }: SettledSetup,
  secretFingerprint: string,
  sequencer: Sequencer,
  log: Log,
): string | null {
  const { seq, rules, setup: known } = sequencer.engine;
  applyRules(sequencer, settleRules(config, setup, rules, secretFingerprint));
  declareSetup(sequencer, setup);
  tellSetup(log, setup, known, changes, seq);
  if (config.feed === 'simulated' && config.feedSeed !== null) log.tell('feed_seed_set');
  if (seq > 0) return null;
  fundHouse(sequencer, config.houseCapitalCents);
  return config.demo ? createDemoAccount(sequencer) : null;
}

function tellSetup(
  log: Log,
  setup: Setup,
  known: Setup | null,
  changes: readonly string[],
  lastSeq: number,
): void {
  if (changes.length > 0) log.tell('setup_changed', { changes });
  else if (known === null && lastSeq > 0) log.tell('setup_unknown', { setup });
}
