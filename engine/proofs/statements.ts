/**
 * The texts that the server signs (Ed25519 over their UTF-8 bytes): lines of `name: value`, each ended by a line feed. The
 * first line names the kind of statement and its version, so that no signature can be taken for one of another kind. A
 * value that there is not is `-`. Texts from outside, which may hold anything, stand as the SHA-256 of their UTF-8.
 */
import { assert } from '../base/assert.js';

export interface RootStatement {
  readonly roundId: string;
  readonly seedCommitment: string;
  readonly treeSize: number;
  readonly merkleRoot: string;
}

/** What is signed when a round locks: its bets, and the seed that they are bound to. */
export const rootStatement = ({ roundId, seedCommitment, treeSize, merkleRoot }: RootStatement): string =>
  statement('tote-root-1', [
    ['round', roundId],
    ['seedCommitment', seedCommitment],
    ['treeSize', treeSize],
    ['merkleRoot', merkleRoot],
  ]);

/** A price with where it came from; `time` is the tick's own, ISO 8601. */
export interface StatedPrice {
  readonly price: number | null;
  readonly time: string | null;
  readonly source: string | null;
  /** SHA-256 of the evidence, in hex; null where there is no price. */
  readonly evidenceSha256: string | null;
}

export interface SettlementStatement {
  readonly roundId: string;
  /** ISO 8601, as in the round's proof. */
  readonly startTime: string;
  readonly lockTime: string;
  readonly endTime: string;
  readonly seedCommitment: string;
  readonly seed: string;
  readonly open: StatedPrice;
  readonly close: StatedPrice;
  /** UP, DOWN, DRAW or VOID. */
  readonly result: string;
  /** SHA-256 of the reason in hex; null for a round that was not voided. */
  readonly voidReasonSha256: string | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly seedCents: number;
  readonly feeBps: number;
  readonly bets: number;
  readonly volumeCents: number;
  readonly merkleRoot: string | null;
  readonly resolvedAt: string;
  readonly settledAt: string;
}

/** What is signed of a settled round. */
export const settlementStatement = (settled: SettlementStatement): string =>
  statement('tote-settlement-1', [
    ['round', settled.roundId],
    ['startTime', settled.startTime],
    ['lockTime', settled.lockTime],
    ['endTime', settled.endTime],
    ['seedCommitment', settled.seedCommitment],
    ['seed', settled.seed],
    ...priceLines('open', settled.open),
    ...priceLines('close', settled.close),
    ['result', settled.result],
    ['voidReasonSha256', settled.voidReasonSha256],
    ['poolUpCents', settled.poolUpCents],
    ['poolDownCents', settled.poolDownCents],
    ['seedCents', settled.seedCents],
    ['feeBps', settled.feeBps],
    ['bets', settled.bets],
    ['volumeCents', settled.volumeCents],
    ['merkleRoot', settled.merkleRoot],
    ['resolvedAt', settled.resolvedAt],
    ['settledAt', settled.settledAt],
  ]);

type Line = readonly [name: string, value: string | number | null];

const priceLines = (of: 'open' | 'close', { price, time, source, evidenceSha256 }: StatedPrice): Line[] => [
  [`${of}Price`, price],
  [`${of}PriceTime`, time],
  [`${of}Source`, source],
  [`${of}EvidenceSha256`, evidenceSha256],
];

function statement(kind: string, lines: readonly Line[]): string {
  const texts = lines.map(([name, value]) => {
    const text = value === null ? '-' : `${value}`;
    assert(!text.includes('\n'), 'a value of a statement is on one line');
    return `${name}: ${text}\n`;
  });
  return `${kind}\n${texts.join('')}`;
}
