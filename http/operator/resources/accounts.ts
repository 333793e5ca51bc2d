/** The operator API's resources, built from the engine's views. Money is in dollars. */
import { dollarsOfCents } from '../../../engine/base/money.js';
import {
  accountId,
  keyId,
  type Scope,
  scopesOf,
  TIERS,
  type Tier,
  textAt,
} from '../../../engine/model/domain.js';
import type { BalanceMoved } from '../../../engine/model/events.js';
import type { AccountView, KeyView } from '../../../engine/model/views.js';

export interface AccountResource {
  readonly id: string;
  readonly name: string | null;
  readonly tier: Tier;
  readonly balance: number;
  readonly frozen: boolean;
}

export function accountResource(view: AccountView): AccountResource {
  return {
    id: accountId(view.account),
    name: view.name,
    tier: textAt(TIERS, view.tier),
    balance: dollarsOfCents(view.balanceCents),
    frozen: view.frozen,
  };
}

export interface KeyResource {
  readonly id: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly enabled: boolean;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

export function keyResource(view: KeyView): KeyResource {
  return {
    id: keyId(view.key),
    accountId: accountId(view.account),
    scopes: scopesOf(view.scopesMask),
    enabled: view.enabled,
    expiresAt: view.expiresAtMs === null ? null : new Date(view.expiresAtMs).toISOString(),
    createdAt: new Date(view.createdAtMs).toISOString(),
  };
}

/** A deposit or withdrawal; `balance` is the one right after it. */
export interface TransferResource {
  readonly type: 'deposit' | 'withdrawal';
  /** null for the house. */
  readonly accountId: string | null;
  readonly amount: number;
  readonly reference: string;
  readonly balance: number;
  readonly createdAt: string;
}

export function transferResource(event: BalanceMoved): TransferResource {
  return {
    type: event.amountCents > 0 ? 'deposit' : 'withdrawal',
    accountId: event.account === 0 ? null : accountId(event.account),
    amount: dollarsOfCents(Math.abs(event.amountCents)),
    reference: event.reference,
    balance: dollarsOfCents(event.balanceCents),
    createdAt: new Date(event.timeMs).toISOString(),
  };
}
