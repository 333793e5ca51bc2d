/**
 * The ledger: every movement of money as an entry of one account, the house (0) included. An account's entries add up
 * to its balance at every moment. A lost bet has only the entry of its stake. An order that rests has one when its
 * stake is reserved, and one when it is filled.
 */
import type { LedgerEntryView, LedgerKind } from '../../../engine/model/archive-reads.js';
import { accountId, BET_RESULTS, roundId } from '../../../engine/model/domain.js';
import type {
  BetPlaced,
  EngineEvent,
  OrderFilled,
  OrderPending,
  SettlementTerms,
} from '../../../engine/model/events.js';
import type { ArchivedMove } from '../rows.js';

export interface LedgerEntry extends Omit<LedgerEntryView, 'item' | 'clientOrderId'> {
  /** 0 is the house. */
  readonly account: number;
  readonly round: string;
}

const WIN = BET_RESULTS.indexOf('WIN');

export function ledgerEntryOf(
  seq: number,
  event: EngineEvent | SettlementTerms | ArchivedMove,
): LedgerEntry | null {
  switch (event.type) {
    case 'betPlaced':
      return betEntry(seq, event, 'stake', -event.stakeCents);
    case 'orderPending':
      return betEntry(seq, event, 'reserve', -event.stakeCents);
    case 'orderFilled':
      return betEntry(seq, event, 'fill', 0);
    case 'betSettled': {
      const { result, payoutCents } = event;
      return payoutCents === 0
        ? null
        : betEntry(seq, event, result === WIN ? 'payout' : 'refund', payoutCents);
    }
    case 'balanceMoved':
      return movedEntry(seq, event);
    default:
      return null;
  }
}

function betEntry(
  seq: number,
  event: BetPlaced | OrderPending | OrderFilled | SettlementTerms,
  kind: LedgerKind,
  amountCents: number,
): LedgerEntry {
  const { timeMs, account, newBalanceCents: balanceCents, bet, market, roundNumber } = event;
  const round = roundId(market, roundNumber);
  return { seq, timeMs, account, kind, amountCents, balanceCents, bet, round, reference: '' };
}

function movedEntry(seq: number, event: ArchivedMove): LedgerEntry {
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

/** `acc_7`, or `house`. */
export const ownerText = (account: number): string => (account === 0 ? 'house' : accountId(account));

const FAULTS_KEPT = 10;

/** Checks that each account's entries lead from balance to balance, and the last one to the account's. */
export class Books {
  /** Sentences on sums that do not add up. */
  readonly faults: string[] = [];
  readonly #balances = new Map<number, number>();

  /** `beginsAtNothing`: there is no money before the first entries, and none without any. */
  constructor(private readonly beginsAtNothing: boolean) {}

  add({ account, amountCents, balanceCents, seq }: LedgerEntry): void {
    const before = this.#balances.get(account) ?? (this.beginsAtNothing ? 0 : balanceCents - amountCents);
    this.#balances.set(account, balanceCents);
    if (before + amountCents !== balanceCents)
      this.#fault(
        account,
        `sequence number ${seq}: ${before} and ${amountCents} are not ${balanceCents} cents`,
      );
  }

  close(account: number, balanceCents: number): void {
    const sumCents = this.#balances.get(account) ?? (this.beginsAtNothing ? 0 : balanceCents);
    if (sumCents !== balanceCents)
      this.#fault(account, `the entries come to ${sumCents} cents, the balance is ${balanceCents} cents`);
  }

  #fault(account: number, what: string): void {
    if (this.faults.length < FAULTS_KEPT) this.faults.push(`${ownerText(account)}, ${what}`);
  }
}
