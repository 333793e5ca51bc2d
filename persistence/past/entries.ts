/**
 * The ledger: every movement of money as an entry of one account, the house (0) included. An account's entries add up
 * to its balance at every moment. A lost bet has only the entry of its stake. An order that rests has one when its
 * stake is reserved, and one when it is filled.
 */

import type { LedgerKind } from '../../engine/model/archive-reads.js';
import { BET_RESULTS, roundId } from '../../engine/model/domain.js';
import type { BalanceMoved, PastEvent } from '../../engine/model/events.js';

export interface LedgerEntry {
  readonly seq: number;
  readonly timeMs: number;
  /** 0 is the house. */
  readonly account: number;
  readonly kind: LedgerKind;
  readonly amountCents: number;
  readonly balanceCents: number;
  readonly bet: number;
  readonly round: string;
  readonly reference: string;
}

const WIN = BET_RESULTS.indexOf('WIN');

export function ledgerEntryOf(seq: number, event: PastEvent): LedgerEntry | null {
  switch (event.type) {
    case 'betPlaced':
    case 'orderPending': {
      const { timeMs, account, stakeCents, newBalanceCents, bet } = event;
      const kind = event.type === 'betPlaced' ? 'stake' : 'reserve';
      const amounts = { amountCents: -stakeCents, balanceCents: newBalanceCents };
      return { seq, timeMs, account, kind, ...amounts, bet, round: roundOf(event), reference: '' };
    }
    case 'orderFilled': {
      const { timeMs, account, newBalanceCents, bet } = event;
      const amounts = { amountCents: 0, balanceCents: newBalanceCents };
      return { seq, timeMs, account, kind: 'fill', ...amounts, bet, round: roundOf(event), reference: '' };
    }
    case 'betSettled': {
      const { timeMs, account, payoutCents, newBalanceCents, bet, result } = event;
      if (payoutCents === 0) return null;
      const kind = result === WIN ? 'payout' : 'refund';
      const amounts = { amountCents: payoutCents, balanceCents: newBalanceCents };
      return { seq, timeMs, account, kind, ...amounts, bet, round: roundOf(event), reference: '' };
    }
    case 'balanceMoved':
      return movedEntry(seq, event);
    default:
      return null;
  }
}

function movedEntry(seq: number, event: BalanceMoved): LedgerEntry {
  const { timeMs, account, reason, amountCents, balanceCents } = event;
  const isOfRound = reason === 'seed' || reason === 'settlement';
  return {
    seq,
    timeMs,
    account,
    kind: reason,
    amountCents,
    balanceCents,
    bet: 0,
    round: isOfRound ? event.reference : '',
    reference: isOfRound ? '' : event.reference,
  };
}

const roundOf = (event: { readonly market: number; readonly roundNumber: number }): string =>
  roundId(event.market, event.roundNumber);

/** Each entry must lead to its balance, and the last one to the account's. */
export class LedgerCheck {
  #sumCents = 0;
  #entries = 0;
  #fault: string | null = null;

  add(entry: LedgerEntry): void {
    this.#sumCents += entry.amountCents;
    this.#entries += 1;
    if (this.#fault === null && this.#sumCents !== entry.balanceCents) {
      this.#fault =
        `after the entry of sequence number ${entry.seq} the entries add up to ${this.#sumCents} cents, ` +
        `the balance there is ${entry.balanceCents} cents`;
    }
  }

  get entries(): number {
    return this.#entries;
  }
  get sumCents(): number {
    return this.#sumCents;
  }

  fault(balanceCents: number): string | null {
    if (this.#fault !== null || this.#sumCents === balanceCents) return this.#fault;
    return `the entries add up to ${this.#sumCents} cents, the balance is ${balanceCents} cents`;
  }
}
