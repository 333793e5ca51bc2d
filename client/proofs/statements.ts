/** The texts that the server signs, made from published facts: lines of `name: value`. */
import type { JournalHead, OrderProof, Receipt, RoundProof } from '../base/types.js';

type Line = readonly [name: string, value: string | number | null];

const textOf = (kind: string, lines: readonly Line[]): string =>
  `${kind}\n${lines.map(([name, value]) => `${name}: ${value ?? '-'}\n`).join('')}`;

export const rootText = ({ roundId, seedCommitment, root }: OrderProof): string =>
  textOf('tote-root-1', [
    ['round', roundId],
    ['seedCommitment', seedCommitment],
    ['treeSize', root.treeSize],
    ['merkleRoot', root.merkleRoot],
  ]);

export const receiptText = ({ orderId, accountId, betHash, seq, time }: Receipt): string =>
  textOf('tote-receipt-1', [
    ['order', orderId],
    ['account', accountId],
    ['betHash', betHash],
    ['seq', seq],
    ['time', time],
  ]);

export const headText = ({ seq, chain, time }: JournalHead): string =>
  textOf('tote-head-1', [
    ['seq', seq],
    ['chain', chain],
    ['time', time],
  ]);

/** `digest` is the SHA-256 of a text's UTF-8, in hex. */
export async function settlementText(
  proof: RoundProof,
  digest: (text: string) => Promise<string>,
): Promise<string> {
  const cents = (dollars: number): number => Math.round(dollars * 100);
  const digestOrNull = async (text: string | null): Promise<string | null> =>
    text === null ? null : digest(text);
  const price = async (of: 'open' | 'close'): Promise<Line[]> => [
    [`${of}Price`, proof[of].price],
    [`${of}PriceTime`, proof[of].time],
    [`${of}Source`, proof[of].source],
    [`${of}EvidenceSha256`, await digestOrNull(proof[of].evidence)],
  ];
  return textOf('tote-settlement-1', [
    ['round', proof.id],
    ['startTime', proof.startTime],
    ['lockTime', proof.lockTime],
    ['endTime', proof.endTime],
    ['seedCommitment', proof.seedCommitment],
    ['seed', proof.seed],
    ...(await price('open')),
    ...(await price('close')),
    ['result', proof.result ?? 'VOID'],
    ['voidReasonSha256', await digestOrNull(proof.voidReason)],
    ['poolUpCents', cents(proof.poolUp)],
    ['poolDownCents', cents(proof.poolDown)],
    ['houseSeedsCents', cents(proof.houseSeeds)],
    ['feeBps', Math.round(proof.fee * 10_000)],
    ['bets', proof.totalBets],
    ['volumeCents', cents(proof.totalVolume)],
    ['merkleRoot', proof.root?.merkleRoot ?? null],
    ['rootPublishedAt', proof.root?.publishedAt ?? null],
    ['resolvedAt', proof.resolvedAt],
    ['settledAt', proof.settledAt],
  ]);
}
