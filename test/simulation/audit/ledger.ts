/**
 * The world's own ledger, derived from the durable commands and their events alone, with separate arithmetic:
 * accounts, keys, settings and money. `rounds.ts` and `bets.ts` check rounds and bets, and update this ledger.
 */
import type { Command } from '../../../engine/model/commands.js';
import { MARKETS_MAX, marketOf } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { MarketRules, Rules } from '../../../engine/model/rules.js';
import type { EngineReads } from '../../../engine/model/views.js';
import { check } from '../violation.js';

export interface AccountBook {
  readonly account: number;
  tier: number;
  isFrozen: boolean;
  balanceCents: number;
  /** Bets that are not settled and limit orders that rest. */
  openBets: number;
  readonly references: Set<string>;
}

export interface KeyBook {
  readonly account: number;
  readonly scopesMask: number;
  readonly expiresAtMs: number | null;
  isEnabled: boolean;
}

export class Ledger {
  /** By number; 0 is the house. */
  readonly accounts: AccountBook[] = [newAccount(0, 0)];
  readonly keys: (KeyBook | null)[] = [null];
  rules: Rules | null = null;
  readonly marketRules: (MarketRules | null)[] = new Array<MarketRules | null>(MARKETS_MAX).fill(null);
  readonly suspended: boolean[] = new Array<boolean>(MARKETS_MAX).fill(false);
  isTrading = true;
  depositsCents = 0;
  withdrawalsCents = 0;
  openStakesCents = 0;
  /** Stakes of limit orders that rest: in no pot, and in no balance. */
  reservedStakesCents = 0;
  /** What lies in the pots of unsettled rounds, less what was paid out of them. */
  potsCents = 0;
  accountsCents = 0;

  account(account: number): AccountBook {
    const book = this.accounts[account];
    check(book !== undefined, 'account', () => `account ${account} exists`);
    return book;
  }

  /** Whether orders of the market are taken, as far as operators decide. */
  isOpenForBets(market: number): boolean {
    return this.isTrading && !this.suspended[market];
  }

  /** Money into an account (0: the house), or out of it; the balance afterwards must be `balanceCents`. */
  move(account: number, amountCents: number, balanceCents: number): void {
    const book = this.account(account);
    book.balanceCents += amountCents;
    if (account !== 0) this.accountsCents += amountCents;
    const about = (): string[] => [`account ${account}`, `acc_${account}`];
    check(
      book.balanceCents >= 0,
      'balance',
      () => `account ${account} is at ${book.balanceCents} cents`,
      about,
    );
    check(
      book.balanceCents === balanceCents,
      'balance',
      () => `account ${account} must be at ${book.balanceCents} cents and is said to be at ${balanceCents}`,
      about,
    );
  }

  /** What an operator's command did. */
  onCommand(command: Command): void {
    switch (command.kind) {
      case 'configure':
        this.#configure(command.rules);
        return;
      case 'createAccount':
        this.accounts.push(newAccount(this.accounts.length, command.tier));
        return;
      case 'updateAccount': {
        const book = this.account(command.account);
        book.tier = command.tier ?? book.tier;
        book.isFrozen = command.frozen ?? book.isFrozen;
        return;
      }
      case 'createKey':
        this.#createKey({ ...command, isEnabled: true }, command.timeMs);
        return;
      case 'updateKey': {
        const key = this.keys[command.key] ?? null;
        check(key !== null, 'key', () => `key ${command.key} exists`);
        key.isEnabled = command.enabled;
        return;
      }
      case 'setTrading':
        this.isTrading = command.enabled;
        return;
      case 'suspendMarket':
        this.suspended[command.market] = command.suspended;
        return;
      default:
        return;
    }
  }

  onEvent(event: EngineEvent): void {
    if (event.type !== 'balanceMoved') return;
    const { account, amountCents, reason, reference } = event;
    if (reason === 'deposit' || reason === 'withdrawal') {
      const { references } = this.account(account);
      check(
        !references.has(reference),
        'reference',
        () => `${reference} moves money of account ${account} twice`,
        () => [`acc_${account}`],
      );
      references.add(reference);
      check(
        reason === 'deposit' ? amountCents > 0 : amountCents < 0,
        'transfer',
        () => `${reason} of ${amountCents}`,
      );
      if (amountCents > 0) this.depositsCents += amountCents;
      else this.withdrawalsCents -= amountCents;
    } else {
      this.potsCents -= amountCents;
    }
    this.move(account, amountCents, event.balanceCents);
  }

  /** The engine's totals are those of the ledger, and no cent is missing. */
  checkTotals(engine: EngineReads): void {
    const totals = engine.totals();
    const expected = {
      houseCents: this.account(0).balanceCents,
      accountsCents: this.accountsCents,
      openStakesCents: this.openStakesCents,
      openSeedsCents: this.potsCents - this.openStakesCents,
      reservedStakesCents: this.reservedStakesCents,
      depositsCents: this.depositsCents,
      withdrawalsCents: this.withdrawalsCents,
    };
    for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
      check(
        totals[name] === expected[name],
        'totals',
        () => `${name} is ${totals[name]}, by the ledger ${expected[name]}`,
      );
    }
    checkConservation(engine);
  }

  #configure(rules: Rules): void {
    this.rules = rules;
    this.marketRules.fill(null);
    for (const market of rules.markets) this.marketRules[marketOf(market.marketId)] = market;
  }

  #createKey(key: KeyBook, timeMs: number): void {
    const active = this.keys.filter(
      (other) =>
        other?.account === key.account &&
        other.isEnabled &&
        (other.expiresAtMs === null || other.expiresAtMs > timeMs),
    ).length;
    const keysMax = this.rules?.tiers[this.account(key.account).tier]?.activeKeysMax ?? 0;
    check(active < keysMax, 'key limit', () => `account ${key.account} has ${active} active keys already`);
    this.keys.push(key);
  }
}

/** house + accounts + open stakes + open seeds + reserved stakes = deposits - withdrawals, to the cent. */
export function checkConservation(engine: EngineReads): void {
  const t = engine.totals();
  const held = t.houseCents + t.accountsCents + t.openStakesCents + t.openSeedsCents + t.reservedStakesCents;
  check(
    held === t.depositsCents - t.withdrawalsCents,
    'conservation',
    () => `${held} cents are held, ${t.depositsCents - t.withdrawalsCents} have come in`,
  );
}

function newAccount(account: number, tier: number): AccountBook {
  return { account, tier, isFrozen: false, balanceCents: 0, openBets: 0, references: new Set() };
}
