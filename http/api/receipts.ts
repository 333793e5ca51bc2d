/** Receipts of bets, signed when they are asked for: Ed25519 gives the same signature again, so none is stored. */
import type { SignLater } from '../../crypto/signing.js';
import { isoText } from '../../engine/base/iso-text.js';
import { accountId, betId } from '../../engine/model/domain.js';
import { receiptStatement } from '../../engine/proofs/statements.js';
import { later } from '../kit/client-work.js';
import type { Receipt } from '../wire/past-types.js';

/** `seq` is the command that made the bet. */
export interface ReceiptFacts {
  readonly bet: number;
  readonly account: number;
  readonly betHash: string;
  readonly seq: number;
  readonly timeMs: number;
}

export class Receipts {
  constructor(
    private readonly keyId: string,
    private readonly sign: SignLater,
  ) {}

  /** `tell` is called for the present client. The bet must be durable. */
  make({ bet, account, betHash, seq, timeMs }: ReceiptFacts, tell: (receipt: Receipt) => void): void {
    const facts = { orderId: betId(bet), accountId: accountId(account), betHash, seq, time: isoText(timeMs) };
    const signed = later((signature: string) => tell({ ...facts, keyId: this.keyId, signature }));
    this.sign(receiptStatement(facts), signed);
  }
}
