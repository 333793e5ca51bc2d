/** `tote verify-bet`: checks a bet and its proof offline, from published data only. No data directory is read. */
import { Argument, Option } from 'commander';
import type { OrderProof, RoundProof } from '../../../client/base/types.js';
import type { HashedBet } from '../../../client/proofs/evidence.js';
import type { ProofWarning } from '../../../client/proofs/sense.js';
import { PROOF_STEPS, type ProofStep, verifyProof } from '../../../client/proofs/verify.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { readAnswer, readNotedKeys } from '../sources/api-files.js';

const STEP_WORDS: Readonly<Record<ProofStep, string>> = {
  form: 'every value is there and of its form',
  commitment: 'the seed fits the commitment',
  hash: "the bet's facts hash to its betHash",
  order: 'the proof is of this bet',
  path: 'the path leads from the bet to the Merkle root',
  rootSignature: 'the server has signed the root',
  sameRoot: "the round's proof has the same root",
  statement: "the signed settlement says the same as the round's proof",
  statementSignature: 'the server has signed the settlement',
  times: 'the bet came before the lock, and each time of the round fits the others',
  prices: "the prices are from before the round's start and its end",
  result: 'the result is that of the prices, and the bet was paid by it',
  pools: "the pools hold the house's seeds and all stakes, and the root is over all bets",
  payout: "the bet's odds, stake and the fee give its payout",
  rootTime: 'the root was put on record between the lock and the settlement',
  keyTime: 'each key was in use when it signed',
};

const WARNING_WORDS: Readonly<Record<ProofWarning, string>> = {
  lateRoot:
    "the root was put on record after the round's end: it does not show that the bets were final before the result was known",
  oldPrice: 'a price was more than 10 s old at its boundary',
};

const SEED_HINT = 'No client seed was given. If the order had one, name it with --client-seed.';

interface VerifyBetOptions {
  readonly keys: string;
  readonly clientSeed?: string;
  readonly commitment?: string;
  readonly notedRoot?: string;
}

export const verifyBetCommand = defineCommand<
  VerifyBetOptions,
  [order: string, orderProof: string, roundProof: string]
>({
  details:
    'Takes three answers of the API as they were saved: that to the order, the proof of the order, and the proof of its ' +
    'round once it is settled. Checks that the bet hashes to its betHash, that it is under the Merkle root of its round, ' +
    'that the server has signed that root and the settlement, and that all of it makes sense together. Notes that you took while the round was open, and keys that ' +
    'you saved before, make the check worth more. Ends with 1 at the first check that fails.',
  examples: [
    [
      "verify-bet order.json order-proof.json round-proof.json --keys keys.json --client-seed 'my seed'",
      'from answers as curl saved them',
    ],
  ],
  operands: [
    new Argument('<ORDER>', 'the answer of POST /orders, or of GET /orders/{id}'),
    new Argument('<ORDER_PROOF>', 'the answer of GET /orders/{id}/proof'),
    new Argument('<ROUND_PROOF>', 'the answer of GET /rounds/{id}/proof'),
  ],
  options: [
    new Option('--keys <FILE>', 'the answer of GET /keys').makeOptionMandatory(),
    new Option('--client-seed <TEXT>', 'clientSeed as sent with the order'),
    new Option('--commitment <HEX>', 'seedCommitment as noted while the round was open'),
    new Option('--noted-root <HEX>', 'merkleRoot as noted when the round locked'),
  ],
  needs: 'nothing',
  run: async ({ out }, { keys, clientSeed, commitment, notedRoot }, [order, orderPath, roundPath]) => {
    const evidence = {
      bet: readBet(order),
      clientSeed,
      orderProof: readAnswer<OrderProof>(orderPath, 'GET /orders/{id}/proof', ['path', 'root']),
      roundProof: readAnswer<RoundProof>(roundPath, 'GET /rounds/{id}/proof', ['open', 'close', 'statement']),
      keys: readNotedKeys(keys),
      notedCommitment: commitment?.toLowerCase(),
      notedRoot: notedRoot?.toLowerCase(),
    };
    const verdict = await verifyProof(evidence);
    const passed = verdict.valid ? PROOF_STEPS : PROOF_STEPS.slice(0, PROOF_STEPS.indexOf(verdict.step));
    if (out.isJson) {
      const { bet, orderProof } = evidence;
      out.answer({ bet: bet.id, round: orderProof.roundId, ...verdict });
    } else {
      for (const step of passed) out.line(`ok      ${STEP_WORDS[step]}`);
      if (verdict.valid) for (const name of verdict.warnings) out.line(`WARNING ${WARNING_WORDS[name]}`);
      out.line(verdict.valid ? 'OK' : `FAILED  ${STEP_WORDS[verdict.step]}`);
      if (!verdict.valid && verdict.step === 'hash' && clientSeed === undefined) out.note(SEED_HINT);
    }
    return verdict.valid ? EXIT.done : EXIT.faulty;
  },
});

/** The answer to a new order has the bet beside the balance, a later one is the bet. */
function readBet(path: string): HashedBet {
  const order = readAnswer<HashedBet & { readonly bet?: HashedBet }>(path, 'POST /orders', []);
  return order.bet ?? order;
}
