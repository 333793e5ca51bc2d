/**
 * The check of a bet's hash as docs/bots/proofs.md has it, from published data alone. It shares no code with the
 * server or the client, and is synchronous for the simulator.
 */
import { hash } from 'node:crypto';
import type { PlacedBet } from '../../../http/wire/types.js';

export interface BetEvidence {
  readonly bet: Pick<
    PlacedBet,
    'id' | 'prediction' | 'amount' | 'oddsAtBet' | 'entryPercent' | 'potentialPayout' | 'placedAt' | 'betHash'
  >;
  readonly clientSeed: string | null;
  readonly roundId: string;
  readonly seed: string;
  readonly seedCommitment: string;
}

export function betFault(evidence: BetEvidence): 'commitment' | 'hash' | null {
  const { seed, seedCommitment, bet } = evidence;
  if (hash('sha256', Buffer.from(seed, 'hex'), 'hex') !== seedCommitment) return 'commitment';
  return betHashOf(evidence) === bet.betHash ? null : 'hash';
}

export function betHashOf({ bet, clientSeed, roundId, seed }: Omit<BetEvidence, 'seedCommitment'>): string {
  const numbers = [
    bet.amount * 100,
    bet.oddsAtBet * 10_000,
    (bet.entryPercent ?? 0) * 100,
    bet.potentialPayout * 100,
  ].map((number) => `${Math.round(number)}`);
  const fields = ['tote-bet-1', seed, roundId, bet.id, bet.prediction, ...numbers, bet.placedAt];
  if (clientSeed !== null) fields.push(clientSeed);
  const text = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join('');
  return hash('sha256', text, 'hex');
}
