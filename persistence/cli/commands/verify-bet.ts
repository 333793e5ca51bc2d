/** `tote verify-bet`: checks a betHash offline, from published data only. No data directory is read. */
import { Option } from 'commander';
import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import { PROOF_TOOLS } from '../../../crypto/signing.js';
import { type BetEvidence, VERIFY_STEPS, verifyBet } from '../../../engine/fairness.js';
import {
  failedProofStep,
  PROOF_STEPS,
  type ProofEvidence,
  type ProofStep,
} from '../../../engine/proofs/verify.js';
import type { AnyStep, VerifyBetJson, VerifyVerdict } from '../answers/answers.js';
import { defineFreeCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { type EvidenceOptions, gatherEvidence, gatherProof } from '../past/bet-evidence.js';

const STEP_WORDS: Readonly<Record<AnyStep, string>> = {
  seed: 'the seed is 64 hex digits',
  commitment: 'the seed fits the commitment',
  round: 'the bet was placed in this round',
  hash: "the bet's facts hash to its betHash",
  order: 'the proof is of this bet',
  path: 'the path leads from the bet to the Merkle root',
  noted: 'the root is the one that was noted',
  rootSignature: 'the server has signed the root',
  sameRoot: "the round's proof has the same root",
  statement: "what is signed of the settlement is what the round's proof says",
  statementSignature: 'the server has signed the settlement',
};

const SEED_HINT = 'No client seed was given. If the order had one, name it with --client-seed.';

export const verifyBetCommand = defineFreeCommand<EvidenceOptions>({
  name: 'verify-bet',
  summary: 'check a betHash offline, from published data only',
  details:
    'Takes the answer to the order (--order), the answer of GET /rounds/{id} once the round is settled (--round), and the ' +
    'client seed if the order had one; or one file with everything (--evidence); or single values, which take precedence. ' +
    "Give the commitment that you noted while the round was open with --commitment: the one in the round's answer is what\n" +
    'the server says afterwards. With --proof and --keys it also checks that the bet is under the Merkle root of its\n' +
    'round and that the server has signed that root; with the proof of the round as --round, what the server has signed of\n' +
    'the settlement. A file named - is stdin. Ends with 1 if a step of the check fails.',
  examples: [
    [
      "verify-bet --order order.json --round round.json --client-seed 'my seed' --commitment f0c0f582...",
      'from the two answers as curl saved them',
    ],
    [
      'verify-bet --order order.json --round round-proof.json --proof order-proof.json --keys keys.json',
      'with the proofs of the order and of its round',
    ],
    ['verify-bet --evidence bet.json', 'from what "npx tote bet bet_1201 --json" printed'],
    [
      'verify-bet --bet-id bet_1 --market BTC_ONE_MINUTE --prediction UP --amount 25 --odds 1.9756 --entry-percent 50.62 ' +
        '--payout 47.9 --placed-at 2026-06-10T12:00:11.983Z --bet-hash ce77ae66... --round-id BTC_ONE_MINUTE_29684880 ' +
        '--seed 96aaeacd... --commitment f0c0f582...',
      'from single values, as the API shows them',
    ],
  ],
  options: [
    new Option('--order <FILE>', 'the answer of POST /orders, or of GET /orders/{id}'),
    new Option('--round <FILE>', 'the answer of GET /rounds/{id}, or of GET /rounds/{id}/proof'),
    new Option('--proof <FILE>', 'the answer of GET /orders/{id}/proof'),
    new Option('--keys <FILE>', 'the answer of GET /keys'),
    new Option('--noted-root <HEX>', 'merkleRoot as noted when the round locked'),
    new Option('--evidence <FILE>', '{bet, roundId, seed, seedCommitment, clientSeed} in one file'),
    new Option('--client-seed <TEXT>', 'clientSeed as sent with the order'),
    new Option('--commitment <HEX>', 'seedCommitment as noted while the round was open'),
    new Option('--seed <HEX>', 'seed of the round'),
    new Option('--round-id <ID>', 'id of the round'),
    new Option('--bet-id <ID>', 'bet.id'),
    new Option('--market <ID>', 'bet.marketId'),
    new Option('--prediction <SIDE>', 'bet.prediction').choices(['UP', 'DOWN']),
    new Option('--amount <USD>', 'bet.amount'),
    new Option('--odds <ODDS>', 'bet.oddsAtBet'),
    new Option('--entry-percent <PERCENT>', 'bet.entryPercent'),
    new Option('--payout <USD>', 'bet.potentialPayout'),
    new Option('--placed-at <TIME>', 'bet.placedAt, exactly as sent'),
    new Option('--bet-hash <HEX>', 'bet.betHash'),
  ],
  run: (out, options) => {
    const evidence = gatherEvidence(options);
    const proof = gatherProof(options, evidence);
    const verdict = verdictOf(evidence, proof);
    const failed = verdict.valid ? null : verdict.step;
    if (out.isJson) {
      const { id: bet } = evidence.bet;
      out.document({ bet, round: evidence.roundId, ...verdict } satisfies VerifyBetJson);
    } else {
      for (const step of passedSteps(stepsOf(proof), failed)) out.line(`ok      ${STEP_WORDS[step]}`);
      out.line(verdict.valid ? 'OK' : `FAILED  ${STEP_WORDS[verdict.step]}: ${verdict.reason}`);
      if (failed === 'hash' && evidence.clientSeed === null) out.note(SEED_HINT);
    }
    return verdict.valid ? EXIT.done : EXIT.faulty;
  },
});

function verdictOf(evidence: BetEvidence, proof: ProofEvidence | null): VerifyVerdict {
  const verdict = verifyBet(evidence, FAIRNESS_TOOLS);
  const failed = verdict.valid && proof !== null ? failedProofStep(proof, PROOF_TOOLS) : null;
  return failed === null ? verdict : { valid: false, ...failed };
}

/** The checks of the bet, and those of its proof that something is given for. */
function stepsOf(proof: ProofEvidence | null): readonly AnyStep[] {
  if (proof === null) return VERIFY_STEPS;
  const isGiven = (step: ProofStep): boolean =>
    step === 'noted' ? proof.notedRoot !== null : proof.round !== null || !OF_SETTLEMENT.includes(step);
  return [...VERIFY_STEPS, ...PROOF_STEPS.filter(isGiven)];
}

const OF_SETTLEMENT: readonly ProofStep[] = ['sameRoot', 'statement', 'statementSignature'];

const passedSteps = (steps: readonly AnyStep[], failed: AnyStep | null): readonly AnyStep[] =>
  failed === null ? steps : steps.slice(0, steps.indexOf(failed));
