/**
 * The texts that the server signs (Ed25519 over their UTF-8 bytes): lines of `name: value`, each ended by a line feed. The
 * first line names the kind of statement and its version, so that no signature can be taken for one of another kind. A
 * value that there is not is `-`. Texts from outside, which may hold anything, stand as the SHA-256 of their UTF-8.
 */
import { assert } from '../base/assert.js';

interface RootStatement {
  readonly roundId: string;
  readonly seedCommitment: string;
  readonly treeSize: number;
  readonly merkleRoot: string;
}

/** Signed when a round locks: its bets, and the seed that they are bound to. */
export const rootStatement = ({ roundId, seedCommitment, treeSize, merkleRoot }: RootStatement): string =>
  statement('tote-root-1', { round: roundId, seedCommitment, treeSize, merkleRoot });

/** As published but for the signature. */
interface ReceiptStatement {
  readonly orderId: string;
  readonly accountId: string;
  readonly betHash: string;
  readonly seq: number;
  readonly time: string;
}

/** Signed for a bet: command `seq` of the journal made it. */
export const receiptStatement = ({ orderId, accountId, betHash, seq, time }: ReceiptStatement): string =>
  statement('tote-receipt-1', { order: orderId, account: accountId, betHash, seq, time });

/** Where the journal was at a time, as published. */
export interface SignedHead {
  readonly seq: number;
  readonly chain: string;
  readonly time: string;
  readonly keyId: string;
  readonly signature: string;
}

/** Signed for the journal: the hash that its chain has at command `seq`, so all up to there. */
export const headStatement = ({ seq, chain, time }: Omit<SignedHead, 'keyId' | 'signature'>): string =>
  statement('tote-head-1', { seq, chain, time });

interface PublishedPrice {
  readonly price: number | null;
  readonly time: string | null;
  readonly source: string | null;
  readonly evidence: string | null;
}

/** The fields of `GET /rounds/{id}/proof` that the settlement's statement holds; amounts in USD. */
interface PublishedSettlement {
  readonly id: string;
  readonly startTime: string;
  readonly lockTime: string;
  readonly endTime: string;
  readonly seedCommitment: string;
  readonly seed: string;
  readonly open: PublishedPrice;
  readonly close: PublishedPrice;
  readonly result?: string;
  readonly voidReason: string | null;
  readonly poolUp: number;
  readonly poolDown: number;
  readonly houseSeeds: number;
  readonly fee: number;
  readonly totalBets: number;
  readonly totalVolume: number;
  readonly root: { readonly merkleRoot: string; readonly publishedAt: string } | null;
  readonly resolvedAt: string;
  readonly settledAt: string;
}

/** SHA-256 of the UTF-8, in hex. */
type TextDigest = (text: string) => string;

export const settlementStatement = (settled: PublishedSettlement, digest: TextDigest): string =>
  statement('tote-settlement-1', {
    round: settled.id,
    startTime: settled.startTime,
    lockTime: settled.lockTime,
    endTime: settled.endTime,
    seedCommitment: settled.seedCommitment,
    seed: settled.seed,
    ...priceLines('open', settled.open, digest),
    ...priceLines('close', settled.close, digest),
    result: settled.result ?? 'VOID',
    voidReasonSha256: settled.voidReason === null ? null : digest(settled.voidReason),
    poolUpCents: cents(settled.poolUp),
    poolDownCents: cents(settled.poolDown),
    houseSeedsCents: cents(settled.houseSeeds),
    feeBps: Math.round(settled.fee * 10_000),
    bets: settled.totalBets,
    volumeCents: cents(settled.totalVolume),
    merkleRoot: settled.root?.merkleRoot ?? null,
    rootPublishedAt: settled.root?.publishedAt ?? null,
    resolvedAt: settled.resolvedAt,
    settledAt: settled.settledAt,
  });

const cents = (dollars: number): number => Math.round(dollars * 100);

/** By name, in order. */
type Lines = Readonly<Record<string, string | number | null>>;

const priceLines = (of: 'open' | 'close', price: PublishedPrice, digest: TextDigest): Lines => ({
  [`${of}Price`]: price.price,
  [`${of}PriceTime`]: price.time,
  [`${of}Source`]: price.source,
  [`${of}EvidenceSha256`]: price.evidence === null ? null : digest(price.evidence),
});

function statement(kind: string, lines: Lines): string {
  const texts = Object.entries(lines).map(([name, value]) => {
    const text = value === null ? '-' : `${value}`;
    assert(!text.includes('\n'), 'a value of a statement is on one line');
    return `${name}: ${text}\n`;
  });
  return `${kind}\n${texts.join('')}`;
}
