/**
 * Checks a bet and its round from published data alone, with the platform's own cryptography: the bet hashes to its
 * `betHash`, the hash is under the Merkle root that the round had on record, the server has signed that root and the
 * settlement, and the signed facts make sense. docs/bots/proofs.md of the server's project has the same step by step.
 */
import type { OrderProof, RoundProof, SigningKey } from '../base/types.js';
import type { HashedBet, ProofEvidence } from './evidence.js';
import {
  hasForm,
  keysAgree,
  type ProofWarning,
  payoutAgrees,
  poolsAgree,
  pricesAgree,
  resultAgrees,
  rootIsTimely,
  timesAgree,
  warningsOf,
} from './sense.js';
import { rootText, settlementText } from './statements.js';

export type Checks<Evidence, Step extends string> = Readonly<
  Record<Step, (evidence: Evidence) => boolean | Promise<boolean>>
>;

export function stepsOf<Step extends string>(checks: Readonly<Record<Step, unknown>>): readonly Step[] {
  return Object.keys(checks) as Step[];
}

/** `step` is the first check that failed. */
export type Verdict<Step> = { readonly valid: true } | { readonly valid: false; readonly step: Step };

export async function verdictOf<Evidence, Step extends string>(
  checks: Checks<Evidence, Step>,
  evidence: Evidence,
): Promise<Verdict<Step>> {
  for (const step of stepsOf(checks)) if (!(await checks[step](evidence))) return { valid: false, step };
  return { valid: true };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** In this order. */
const CHECKS = {
  form: hasForm,
  commitment: async ({ roundProof: { seed, seedCommitment }, notedCommitment, orderProof }) =>
    hex(await sha256(bytesOf(seed))) === seedCommitment &&
    orderProof.seedCommitment === seedCommitment &&
    seedCommitment === (notedCommitment ?? seedCommitment),
  hash: async ({ bet, clientSeed, roundProof }) =>
    (await betHash(bet, clientSeed, roundProof)) === bet.betHash,
  order: ({ bet, orderProof }) =>
    orderProof.orderId === bet.id &&
    orderProof.betHash === bet.betHash &&
    orderProof.roundId === (bet.round?.id ?? orderProof.roundId),
  path: async ({ orderProof, notedRoot }) =>
    (await reachedRoot(orderProof)) === orderProof.root.merkleRoot &&
    orderProof.root.merkleRoot === (notedRoot ?? orderProof.root.merkleRoot),
  rootSignature: ({ orderProof, keys }) => isSigned(rootText(orderProof), orderProof.root, keys),
  sameRoot: async ({ orderProof, roundProof }) =>
    roundProof.id === orderProof.roundId &&
    ROOT_FIELDS.every((name) => roundProof.root?.[name] === orderProof.root[name]),
  statement: async ({ roundProof }) =>
    (await settlementText(roundProof, async (text) => hex(await sha256(utf8(text))))) ===
    roundProof.statement.text,
  statementSignature: ({ roundProof: { statement }, keys }) => isSigned(statement.text, statement, keys),
  times: timesAgree,
  prices: pricesAgree,
  result: resultAgrees,
  pools: poolsAgree,
  payout: payoutAgrees,
  rootTime: rootIsTimely,
  keyTime: keysAgree,
} as const satisfies Checks<ProofEvidence, string>;

export type ProofStep = keyof typeof CHECKS;
/** `step` is the first check that failed. */
export type ProofVerdict =
  | { readonly valid: true; readonly warnings: readonly ProofWarning[] }
  | { readonly valid: false; readonly step: ProofStep };
export const PROOF_STEPS = stepsOf(CHECKS);

/** Needs `crypto.subtle` with Ed25519: Node from 20.19, and browsers of 2025. */
export async function verifyProof(evidence: ProofEvidence): Promise<ProofVerdict> {
  const verdict = await verdictOf(CHECKS, evidence);
  return verdict.valid ? { ...verdict, warnings: warningsOf(evidence) } : verdict;
}

const ROOT_FIELDS = ['merkleRoot', 'treeSize', 'publishedAt', 'keyId', 'signature'] as const;

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const bytesOf = (text: string): Bytes =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));

const sha256 = async (data: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', data));

function betHash(
  bet: HashedBet,
  clientSeed: ProofEvidence['clientSeed'],
  round: RoundProof,
): Promise<string> {
  const fields = [
    'tote-bet-1',
    round.seed,
    round.id,
    bet.id,
    bet.prediction,
    `${Math.round(bet.amount * 100)}`,
    `${Math.round(bet.oddsAtBet * 10_000)}`,
    `${Math.round((bet.entryPercent ?? 0) * 100)}`,
    `${Math.round(bet.potentialPayout * 100)}`,
    bet.placedAt,
    ...(typeof clientSeed === 'string' ? [clientSeed] : []),
  ];
  const text = fields.map((field) => `${utf8(field).length}:${field}`).join('');
  return sha256(utf8(text)).then(hex);
}

/** By RFC 9162, section 2.1.3.2; null if it is the path of no such leaf. */
async function reachedRoot(proof: OrderProof): Promise<string | null> {
  const node = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(Uint8Array.of(1, ...left, ...right));
  let at = proof.leafIndex;
  let last = proof.root.treeSize - 1;
  if (at > last) return null;
  let hash = await sha256(Uint8Array.of(0, ...bytesOf(proof.betHash)));
  for (const sibling of proof.path.map(bytesOf)) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = await node(sibling, hash);
      for (; at % 2 === 0 && at !== 0; at /= 2) last = Math.floor(last / 2);
    } else {
      hash = await node(hash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hex(hash) : null;
}

export async function isSigned(
  text: string,
  { keyId, signature }: { readonly keyId: string; readonly signature: string },
  keys: readonly SigningKey[],
): Promise<boolean> {
  const key = keys.find((one) => one.keyId === keyId);
  if (key === undefined) return false;
  const publicKey = bytesOf(key.publicKey);
  if (!hex(await sha256(publicKey)).startsWith(keyId)) return false;
  const imported = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify({ name: 'Ed25519' }, imported, bytesOf(signature), utf8(text));
}

export function wasInUse(
  { keyId, time }: { readonly keyId: string; readonly time: string },
  keys: readonly SigningKey[],
): boolean {
  const retiredAt = keys.find((key) => key.keyId === keyId)?.retiredAt ?? null;
  return retiredAt === null || time <= retiredAt;
}
