/** The seeds of rounds for the command line, or, if the master secret cannot be read, why they are not known. */

import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import type { Engine } from '../../../engine/engine.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import type { DataDir } from '../../data-dir/layout.js';
import { masterSecretFingerprint, openMasterSecret } from '../../data-dir/secrets.js';
import { messageOf } from '../../errors.js';

export type KnownSeeds =
  | { readonly seeds: RoundSeeds; readonly why: null }
  | { readonly seeds: null; readonly why: string };

/** Reads the master secret of `dir` and compares it with the fingerprint in the rules of `engine`. */
export function readRoundSeeds(dir: DataDir, engine: Engine): KnownSeeds {
  try {
    const secret = openMasterSecret(dir, false);
    const expected = engine.rules?.masterSecretFingerprint;
    if (expected === undefined || expected === masterSecretFingerprint(secret)) {
      return { seeds: new RoundSeeds(secret, FAIRNESS_TOOLS), why: null };
    }
    return {
      seeds: null,
      why: `The file ${dir.masterSecretFile} is not the secret of this journal's rounds.`,
    };
  } catch (thrown) {
    return { seeds: null, why: messageOf(thrown) };
  }
}
