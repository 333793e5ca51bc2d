/**
 * The ledger: every movement of money as an entry of one account, the house (0) included. An account's entries add up
 * to its balance at every moment. A lost bet has only the entry of its stake. An order that rests has one when its
 * stake is reserved, and one when it is filled.
 */

import type { LedgerKind } from '../../../engine/model/archive-reads.js';
import { accountId, BET_RESULTS, roundId } from '../../../engine/model/domain.js';
import type { BalanceMoved, EngineEvent, SettlementTerms } from '../../../engine/model/events.js';

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

export function ledgerEntryOf(seq: number, event: EngineEvent | SettlementTerms): LedgerEntry | null {
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

/** `acc_7`, or `house`. */
export const ownerText = (account: number): string => (account === 0 ? 'house' : accountId(account));

const FAULTS_KEPT = 10;

/** Checks that each account's entries lead from balance to balance, and the last one to the account's. */
export class Books {
  /** Sentences on sums that do not add up. */
  readonly faults: string[] = [];
  readonly #balances = new Map<number, number>();

  /** `beginsAtNothing`: the first entries are those of the first commands, before which all balances are 0. */
  constructor(readonly beginsAtNothing: boolean) {}

  isFirst({ account }: LedgerEntry): boolean {
    return !this.#balances.has(account);
  }

  add({ account, amountCents, balanceCents, seq }: LedgerEntry): void {
    const before = this.#balances.get(account) ?? (this.beginsAtNothing ? 0 : balanceCents - amountCents);
    this.#balances.set(account, balanceCents);
    if (before + amountCents !== balanceCents)
      this.#fault(
        account,
        `sequence number ${seq}: ${before} and ${amountCents} are not ${balanceCents} cents`,
      );
  }

  /** `knowsAll`: an account without entries has no money. */
  close(account: number, balanceCents: number, knowsAll: boolean): void {
    const sumCents = this.#balances.get(account) ?? (knowsAll ? 0 : balanceCents);
    if (sumCents !== balanceCents)
      this.#fault(account, `the entries come to ${sumCents} cents, the balance is ${balanceCents} cents`);
  }

  #fault(account: number, what: string): void {
    if (this.faults.length < FAULTS_KEPT) this.faults.push(`${ownerText(account)}, ${what}`);
  }
}
