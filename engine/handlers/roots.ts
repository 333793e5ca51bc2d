/**
 * Puts the Merkle root of a locked round on record (`engine/proofs`). It is made and signed beside the engine, which
 * checks only that the round's bets are final, and that the root is over as many.
 */
import type { PublishRoot } from '../model/commands.js';
import { LOCKED, SETTLING } from '../model/domain.js';
import { type Effect, reject, type State } from '../state/state.js';

export function publishRoot(state: State, command: PublishRoot): Effect {
  const { market, roundNumber, timeMs, merkleRoot, treeSize, keyId, signature } = command;
  const round = state.markets.market(market).rounds.get(roundNumber);
  if (round === undefined) return reject('round_not_found', 'no such round is in memory');
  const { proof, status } = round;
  if (proof.root !== null) return reject('invalid_request', 'the root of the round is on record');
  if (status !== LOCKED && status !== SETTLING)
    return reject('invalid_request', 'a root is put on record between the lock and the settlement');
  if (treeSize !== round.betCount)
    return reject('invalid_request', 'the root is not over the bets of the round');
  proof.root = { merkleRoot, treeSize, keyId, signature, publishedAtMs: timeMs };
  return [{ type: 'rootPublished', timeMs, market, roundNumber, merkleRoot, treeSize, keyId, signature }];
}
