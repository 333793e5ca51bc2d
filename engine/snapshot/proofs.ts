/** Exports and imports what proves a round: the last cells of its row. */
import { assert } from '../base/assert.js';
import type { PriceOrigin, PublishedRoot } from '../model/proofs/proof-views.js';
import type { Proof } from '../state/rounds.js';
import {
  countOf,
  flagCell,
  flagOf,
  integerOf,
  integerOrNullOf,
  textCell,
  textOf,
  textOrNullCell,
  textOrNullOf,
} from './cells.js';
import { type Cell, positionsOf, type Row } from './form.js';
import { ROUND } from './market-tables.js';

type Read = Cell | undefined;

const AT = positionsOf(ROUND);

export const proofCells = (proof: Proof): Row => [
  ...originCells(proof.open),
  ...originCells(proof.close),
  proof.firstShareE6,
  proof.lastShareE6,
  proof.leastShareE6,
  proof.greatestShareE6,
  ...rootCells(proof.root),
];

function originCells(origin: PriceOrigin | null): Cell[] {
  if (origin === null) return [null, null, null, null];
  const { priceTimeMs, source, evidence, isLate } = origin;
  return [flagCell(isLate), priceTimeMs, textOrNullCell(source), textCell(evidence)];
}

function rootCells(root: PublishedRoot | null): Cell[] {
  if (root === null) return [null, null, null, null, null];
  return [root.merkleRoot, root.treeSize, root.keyId, root.signature, root.publishedAtMs];
}

export const proofFrom = (row: Row): Proof => ({
  open: originFrom(row, AT.open_late),
  close: originFrom(row, AT.close_late),
  firstShareE6: shareOf(row[AT.first_share_e6]),
  lastShareE6: shareOf(row[AT.last_share_e6]),
  leastShareE6: shareOf(row[AT.least_share_e6]),
  greatestShareE6: shareOf(row[AT.greatest_share_e6]),
  root: rootFrom(row),
});

function originFrom(row: Row, at: number): PriceOrigin | null {
  const [late, priceTimeMs, source, evidence] = row.slice(at);
  if (late === null) {
    assert(priceTimeMs === null && source === null && evidence === null, 'a price is there or is not');
    return null;
  }
  return {
    priceTimeMs: integerOrNullOf(priceTimeMs),
    source: textOrNullOf(source),
    evidence: textOf(evidence),
    isLate: flagOf(late),
  };
}

function shareOf(cell: Read): number {
  const share = integerOf(cell);
  assert(share >= -1 && share <= 1_000_000, `${share} is not a share`);
  return share;
}

function rootFrom(row: Row): PublishedRoot | null {
  const [merkleRoot, treeSize, keyId, signature, publishedAtMs] = row.slice(AT.merkle_root);
  if (merkleRoot === null) {
    const others = [treeSize, keyId, signature, publishedAtMs];
    assert(
      others.every((cell) => cell === null),
      'a root is there or is not',
    );
    return null;
  }
  return {
    merkleRoot: hexOf(merkleRoot, 64),
    treeSize: countOf(treeSize),
    keyId: hexOf(keyId, 16),
    signature: hexOf(signature, 128),
    publishedAtMs: countOf(publishedAtMs),
  };
}

function hexOf(cell: Read, digits: number): string {
  const text = textOf(cell);
  assert(text.length === digits && /^[0-9a-f]*$/.test(text), `${text} has not ${digits} hex digits`);
  return text;
}
