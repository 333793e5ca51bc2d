/**
 * Checks, from published data alone, that a bet is under the root that its round had on record, that the server has signed
 * that root, and what it says of the settlement. `verifyBet` in `fairness.ts` checks the hash of the bet itself.
 */
import { HASH_BYTES, rootOfPath, type Sha256, TreeHasher } from './merkle.js';
import {
  type PublishedSettlement,
  rootStatement,
  settlementStatement,
  type TextDigest,
} from './statements.js';

export interface ProofTools {
  readonly sha256: Sha256;
  readonly digest: TextDigest;
  readonly bytesOf: (hex: string) => Uint8Array;
  readonly hexOf: (bytes: Uint8Array) => string;
  /** Ed25519; keys and signatures in hex. */
  readonly isSignedBy: (publicKey: string, text: string, signature: string) => boolean;
}

export interface PublishedRoot {
  readonly merkleRoot: string;
  readonly treeSize: number;
  readonly keyId: string;
  readonly signature: string;
}

/** `data` of `GET /orders/{id}/proof`. */
export interface PublishedOrderProof {
  readonly orderId: string;
  readonly roundId: string;
  readonly betHash: string;
  readonly leafIndex: number;
  readonly path: readonly string[];
  readonly seedCommitment: string;
  readonly root: PublishedRoot;
}

/** `data` of `GET /rounds/{id}/proof`. */
export interface PublishedRoundProof extends PublishedSettlement {
  readonly root: PublishedRoot | null;
  readonly statement: { readonly text: string; readonly keyId: string; readonly signature: string };
}

export interface ProofEvidence {
  readonly bet: { readonly id: string; readonly betHash: string };
  readonly order: PublishedOrderProof;
  /** null: nothing is said of the settlement. */
  readonly round: PublishedRoundProof | null;
  /** `data` of `GET /keys`, ideally as noted earlier. */
  readonly keys: readonly { readonly keyId: string; readonly publicKey: string }[];
  /** The root as seen at the lock, over the stream or in a round's answer; null if it was not noted. */
  readonly notedRoot: string | null;
}

/** The checks in their order. */
export const PROOF_STEPS = [
  'order',
  'path',
  'noted',
  'rootSignature',
  'sameRoot',
  'statement',
  'statementSignature',
] as const;
export type ProofStep = (typeof PROOF_STEPS)[number];

/** Returns the first check that fails with its reason for people, or null. */
export function failedProofStep(
  evidence: ProofEvidence,
  tools: ProofTools,
): { readonly step: ProofStep; readonly reason: string } | null {
  for (const step of PROOF_STEPS) {
    const reason = CHECKS[step](evidence, tools);
    if (reason !== null) return { step, reason };
  }
  return null;
}

type Check = (evidence: ProofEvidence, tools: ProofTools) => string | null;

const CHECKS: Readonly<Record<ProofStep, Check>> = {
  order: ({ bet, order }) =>
    order.orderId === bet.id && order.betHash === bet.betHash
      ? null
      : `the proof is of ${order.orderId} with the hash ${order.betHash}`,
  path: ({ order }, tools) => {
    const reached = reachedRoot(order, tools);
    return reached === order.root.merkleRoot ? null : `the path leads to ${reached ?? 'no root'}`;
  },
  noted: ({ order, notedRoot }) =>
    notedRoot === null || notedRoot === order.root.merkleRoot
      ? null
      : `the root was ${notedRoot} at the lock`,
  rootSignature: (evidence, tools) => {
    const { roundId, seedCommitment, root } = evidence.order;
    const { treeSize, merkleRoot } = root;
    return whyUnsigned(
      evidence,
      rootStatement({ roundId, seedCommitment, treeSize, merkleRoot }),
      root,
      tools,
    );
  },
  sameRoot: ({ order, round }) => {
    if (round === null) return null;
    const isSame = round.root?.merkleRoot === order.root.merkleRoot && round.id === order.roundId;
    return isSame ? null : `the round ${round.id} has the root ${round.root?.merkleRoot ?? '-'}`;
  },
  statement: ({ round }, { digest }) =>
    round === null || settlementStatement(round, digest) === round.statement.text
      ? null
      : 'the text that is signed does not say what the proof says',
  statementSignature: (evidence, tools) =>
    evidence.round === null
      ? null
      : whyUnsigned(evidence, evidence.round.statement.text, evidence.round.statement, tools),
};

function reachedRoot(
  { betHash, leafIndex, root, path }: PublishedOrderProof,
  tools: ProofTools,
): string | null {
  const { bytesOf, hexOf, sha256 } = tools;
  if (![betHash, ...path].every((hash) => isHash(hash))) return null;
  const hasher = new TreeHasher(sha256);
  const leaf = hasher.leaf(bytesOf(betHash));
  const { treeSize } = root;
  const reached = rootOfPath({ leafIndex, treeSize, leaf, path: path.map(bytesOf) }, hasher);
  return reached === null ? null : hexOf(reached);
}

const isHash = (hex: string): boolean => hex.length === 2 * HASH_BYTES && /^[0-9a-f]*$/.test(hex);

function whyUnsigned(
  { keys }: ProofEvidence,
  text: string,
  { keyId, signature }: { readonly keyId: string; readonly signature: string },
  { bytesOf, hexOf, sha256, isSignedBy }: ProofTools,
): string | null {
  const key = keys.find((one) => one.keyId === keyId);
  if (key === undefined) return `there is no key ${keyId}`;
  if (!isHash(key.publicKey) || !hexOf(sha256(bytesOf(key.publicKey))).startsWith(keyId))
    return `${keyId} is not the id of its key`;
  return isSignedBy(key.publicKey, text, signature) ? null : `it is not a signature of key ${keyId}`;
}
