/** A round's seed, where the master secret of the journal can be read. */
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { messageOf } from '../../../engine/base/attempt.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { DataDir } from '../../data-dir/layout.js';
import { isOtherSecret, openMasterSecret } from '../../data-dir/secrets.js';

export type KnownSeeds = ReturnType<typeof readRoundSeeds>;

/** Compares the master secret with the fingerprint in the rules. */
export function readRoundSeeds(dir: DataDir, rules: Rules | null) {
  try {
    const secret = openMasterSecret(dir, false);
    if (!isOtherSecret(rules, secret)) return { seeds: new RoundSeeds(secret, FAIRNESS_TOOLS), why: null };
    const why = `The file ${dir.masterSecretFile} is not the secret of this journal's rounds.`;
    return { seeds: null, why };
  } catch (thrown) {
    return { seeds: null, why: messageOf(thrown) };
  }
}

/** The commitment is public from the beginning of the round, the seed after its settlement; it is not shown before. */
export const seedFields = (
  { seeds, why }: KnownSeeds,
  market: number,
  roundNumber: number,
  isSettled: boolean,
) => ({
  seedCommitment: seeds === null ? null : seeds.commitment(market, roundNumber),
  seed: seeds !== null && isSettled ? seeds.seed(market, roundNumber) : null,
  seedNotShown: why ?? (isSettled ? null : 'The seed is secret until the round is settled.'),
});
