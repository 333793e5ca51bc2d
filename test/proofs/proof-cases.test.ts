/**
 * Good and forged proofs, receipts and heads (`proof-cases.json`), on which the client and the second implementation
 * agree. The forger is the operator: a case's values are hashed and signed anew with the server's own keys, unless it
 * names fewer `seals`. `then` sets values behind the seals.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type HeadEvidence,
  type JournalHead,
  type ProofEvidence,
  type Receipt,
  type ReceiptEvidence,
  verifyHead,
  verifyProof,
  verifyReceipt,
} from '../../client/index.js';
import { headText, receiptText, rootText, settlementText } from '../../client/proofs/statements.js';
import { type KeyPair, signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { TreeHasher } from '../../engine/proofs/merkle.js';
import { inWords, pythonVerdicts, withPython } from '../support/api/proofs.js';
import { betHashOf } from '../support/engine/bet-fault.js';
import { rootOfPath } from '../support/engine/root-of-path.js';

interface Case {
  readonly name: string;
  /** OK and warnings, or FAILED and the step. */
  readonly says: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  /** `[]`: nothing is hashed or signed anew. */
  readonly seals?: readonly [];
  readonly then?: Readonly<Record<string, unknown>>;
}

type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };
type Evidence = Writable<ProofEvidence>;

const { signers, base, cases, receiptBase, receipts, headBase, heads } = JSON.parse(
  readFileSync(new URL('../../../test/proofs/proof-cases.json', import.meta.url), 'utf8'),
) as {
  readonly signers: readonly (KeyPair & { readonly keyId: string })[];
  readonly base: ProofEvidence;
  readonly cases: readonly Case[];
  readonly receiptBase: Receipt;
  readonly receipts: readonly Case[];
  readonly headBase: JournalHead;
  readonly heads: readonly Case[];
};

const hasher = new TreeHasher((data, into, at) => into.set(hash('sha256', data, 'buffer'), at));
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

type Fields = Record<string, unknown>;

function write(evidence: object, path: string, value: unknown): void {
  const names = path.split('.');
  const last = must(names.pop(), 'a name');
  const step = (at: Fields, name: string): Fields => at[name] as Fields;
  const holder = names.reduce(step, evidence as unknown as Fields);
  if (value === undefined) delete holder[last];
  else holder[last] = structuredClone(value);
}

const signed = (text: string, keyId: string): string => {
  const pair = signers.find((signer) => signer.keyId === keyId);
  return signerOf(must(pair, keyId))(text);
};

async function seal(evidence: Evidence): Promise<void> {
  const { bet, clientSeed = null, orderProof, roundProof } = evidence;
  const { root, leafIndex } = orderProof;
  orderProof.betHash = betHashOf({ bet, clientSeed, roundId: roundProof.id, seed: roundProof.seed });
  bet.betHash = orderProof.betHash;
  const leaf = hasher.leaf(bytes(bet.betHash));
  const path = orderProof.path.map(bytes);
  const reached = rootOfPath({ leafIndex, treeSize: root.treeSize, leaf, path }, hasher);
  root.merkleRoot = Buffer.from(must(reached, 'a root')).toString('hex');
  root.signature = signed(rootText(orderProof), root.keyId);
  roundProof.root = { ...root };
  const { statement } = roundProof;
  statement.text = await settlementText(roundProof, async (text) => hash('sha256', text));
  statement.signature = signed(statement.text, statement.keyId);
}

async function evidenceOf({ set = {}, unset = [], seals, then = {} }: Case): Promise<ProofEvidence> {
  const evidence = structuredClone(base) as Evidence;
  if (seals !== undefined) await seal(evidence);
  for (const [path, value] of Object.entries(set)) write(evidence, path, value);
  for (const path of unset) write(evidence, path, undefined);
  if (seals === undefined) await seal(evidence);
  for (const [path, value] of Object.entries(then)) write(evidence, path, value);
  return evidence;
}

function withCase<E extends object>(
  from: E,
  { set = {}, unset = [], then = {} }: Case,
  sealIt: (given: E) => void,
): E {
  const given = structuredClone(from);
  for (const [path, value] of Object.entries(set)) write(given, path, value);
  for (const path of unset) write(given, path, undefined);
  sealIt(given);
  for (const [path, value] of Object.entries(then)) write(given, path, value);
  return given;
}

const receiptOf = (one: Case): ReceiptEvidence => {
  const { bet, keys } = base;
  const from = { receipt: receiptBase, bet, accountId: receiptBase.accountId, keys };
  return withCase(from, one, ({ receipt }) => {
    (receipt as Writable<Receipt>).signature = signed(receiptText(receipt), receipt.keyId);
  });
};

const headOf = (one: Case): HeadEvidence =>
  withCase({ head: headBase, keys: base.keys }, one, ({ head }) => {
    (head as Writable<JournalHead>).signature = signed(headText(head), head.keyId);
  });

async function allAgree<E extends ProofEvidence | ReceiptEvidence | HeadEvidence>(
  of: readonly Case[],
  evidence: readonly E[],
  verify: (evidence: E) => Promise<Parameters<typeof inWords>[0]>,
): Promise<void> {
  const python = pythonVerdicts(evidence);
  for (const [i, one] of evidence.entries()) {
    const { name, says } = must(of[i], 'a case');
    assert.equal(inWords(await verify(one)), says, `the client on ${name}`);
    assert.equal(python[i], says, `Python on ${name}`);
  }
}

test('client and second implementation say the same of good and forged receipts', withPython, () =>
  allAgree(receipts, receipts.map(receiptOf), verifyReceipt),
);

test('client and second implementation say the same of good and forged heads', withPython, () =>
  allAgree(heads, heads.map(headOf), verifyHead),
);

test('client and second implementation say the same of good and forged proofs', withPython, async () => {
  await allAgree(cases, await Promise.all(cases.map(evidenceOf)), verifyProof);
  assert.ok(cases.filter(({ says }) => says.startsWith('FAILED')).length >= 40);
});
