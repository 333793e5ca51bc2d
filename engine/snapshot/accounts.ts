/** Accounts, their keys and transfers in a snapshot. */
import { assert } from '../base/assert.js';
import { TIERS } from '../model/domain.js';
import { HOUSE } from '../state/house.js';
import { count, flag, integer, oneOf, orNull, table, text } from './columns.js';

export const ACCOUNT = table(
  'account',
  {
    /** From 1: the account's id is `acc_<account>`. */
    account: count,
    name: orNull(text),
    tier: oneOf(TIERS),
    balanceCents: count,
    frozen: flag,
    touchedSeq: count,
    openBets: count,
  },
  {
    *from({ accounts }) {
      for (let account = 1; account <= accounts.count; account += 1)
        yield { ...accounts.view(account), touchedSeq: accounts.touchedSeq(account) };
    },
    into({ accounts }, rows) {
      for (const { account, name, tier, balanceCents, frozen, touchedSeq, openBets } of rows) {
        assert(accounts.add(name, tier) === account, 'accounts are numbered without a gap');
        accounts.move(account, balanceCents, touchedSeq);
        accounts.setFrozen(account, frozen);
        accounts.chunk(account).openBets[accounts.row(account)] = openBets;
      }
    },
  },
);

export const API_KEY = table(
  'api_key',
  {
    /** From 1: the key's id is `key_<key>`. */
    key: count,
    account: count,
    digest: text,
    scopesMask: count,
    enabled: flag,
    expiresAtMs: orNull(integer),
    createdAtMs: count,
    deadmanSeconds: count,
  },
  {
    *from({ keys }) {
      for (let key = 1; key <= keys.count; key += 1) yield { ...keys.view(key), digest: keys.digest(key) };
    },
    into({ accounts, keys }, rows) {
      for (const stored of rows) {
        assert(accounts.has(stored.account), 'a key belongs to an account');
        assert(keys.add(stored) === stored.key, 'keys are numbered without a gap');
        keys.change(stored.key, { enabled: stored.enabled, deadmanSeconds: stored.deadmanSeconds });
      }
    },
  },
);

/** Deposits and withdrawals with their references, unique per account for ever. */
export const TRANSFER = table(
  'transfer',
  {
    /** 0 is the house. */
    account: count,
    reference: text,
    seq: count,
    timeMs: count,
    amountCents: integer,
    balanceCents: count,
    openedTier: orNull(oneOf(TIERS)),
  },
  {
    *from({ house }) {
      for (const { seq, event, openedTier } of house.records()) yield { seq, ...event, openedTier };
    },
    into({ accounts, house }, rows) {
      for (const { account, reference, seq, timeMs, amountCents, balanceCents, openedTier } of rows) {
        assert(account === HOUSE || accounts.has(account), 'a transfer belongs to an account');
        const reason = amountCents > 0 ? 'deposit' : 'withdrawal';
        const type = 'balanceMoved';
        house.remember({
          seq,
          event: { type, timeMs, account, amountCents, balanceCents, reason, reference },
          openedTier,
        });
      }
    },
  },
);
