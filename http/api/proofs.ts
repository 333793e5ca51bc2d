/** Proofs of settled rounds and of bets, receipts, and the keys with which they are signed. */
import { isoText } from '../../engine/base/iso-text.js';
import { accountId, betId, isUnfilled, parseRoundId } from '../../engine/model/domain.js';
import type { BetView } from '../../engine/model/views.js';
import { receiptStatement } from '../../engine/proofs/statements.js';
import { later } from '../kit/client-work.js';
import * as text from '../wire/proof-text.js';
import type { Receipt } from '../wire/proof-types.js';
import { findBet, orderIn } from './account.js';
import { askArchive } from './ask.js';
import type { Call } from './call.js';
import { NO_BET, NO_ORDER, NO_PROOF, NO_RECEIPT, NO_SETTLED_ROUND } from './refusals.js';
import type { Services } from './services.js';

export function signingKeys({ signing, journalHead }: Services, call: Call): void {
  const data = signing.all.map(text.signingKey);
  call.send(200, JSON.stringify({ success: true, data, head: journalHead() }));
}

export function roundProof(services: Services, call: Call): void {
  call.query([]);
  const round = parseRoundId(call.id());
  if (round === null) throw NO_SETTLED_ROUND;
  askArchive(services, call, 'lifecycleSeq', services.archive.roundProof, round, (told) => {
    if (told === null) throw NO_SETTLED_ROUND;
    call.sendData(text.roundProof(told, services));
  });
}

export function orderProof(services: Services, call: Call): void {
  findBet(services, call, orderIn(call), (found) => {
    if (found === null) throw NO_ORDER;
    prove(services, call, found);
  });
}

function prove(services: Services, call: Call, bet: BetView): void {
  const { archive, seeds, hashes } = services;
  const { market, roundNumber, entryPercentE2 } = bet;
  if (isUnfilled(bet.result)) throw NO_BET;
  // Without an entry percent there was no root yet.
  if (bet.status !== 'SETTLED' || entryPercentE2 === null) throw NO_PROOF;
  const leaf = { market, roundNumber, bet: bet.bet, seed: seeds.seed(market, roundNumber) };
  askArchive(services, call, 'lifecycleSeq', archive.betPath, leaf, (told) => {
    if (told === null) throw NO_PROOF;
    const commitment = seeds.commitment(market, roundNumber);
    call.sendData(text.orderProof(bet, hashes.ofView(bet, entryPercentE2), commitment, told));
  });
}

export function orderReceipt(services: Services, call: Call): void {
  const bet = orderIn(call);
  const { account } = call;
  askArchive(services, call, 'accountSeq', services.archive.bet, { account, bet }, (told) => {
    if (told === null) throw NO_ORDER;
    const { betSeq: seq, entryPercentE2, filledAtMs, placedAtMs } = told;
    if (seq === null || entryPercentE2 === null) throw NO_RECEIPT;
    const betHash = services.hashes.ofView(told, entryPercentE2);
    const fields = { bet, account, betHash, seq, timeMs: filledAtMs ?? placedAtMs };
    makeReceipt(services, fields, (receipt) => call.sendData(receipt));
  });
}

/** `seq` is the command that made the bet, which must be durable. */
interface ReceiptFields {
  readonly bet: number;
  readonly account: number;
  readonly betHash: string;
  readonly seq: number;
  readonly timeMs: number;
}

/** Signs when asked: Ed25519 gives the same signature again, so none is stored. `tell` is for the present client. */
export function makeReceipt(
  { signing, signLater }: Services,
  { bet, account, betHash, seq, timeMs }: ReceiptFields,
  tell: (receipt: Receipt) => void,
): void {
  const fields = { orderId: betId(bet), accountId: accountId(account), betHash, seq, time: isoText(timeMs) };
  const signed = later((signature: string) => tell({ ...fields, keyId: signing.keyId, signature }));
  signLater(receiptStatement(fields), signed);
}
