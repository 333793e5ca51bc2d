/** Operator routes for accounts and their money (design, sections 3 and 8). */
import typia, { type tags } from 'typia';
import { parseAccountId, TIERS, type Tier } from '../../engine/model/domain.js';
import type { AccountView } from '../../engine/model/views.js';
import { readBody } from '../kit/body.js';
import { parseChoice, parseFlag, parseQuery } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import { nextOf, searchOf } from '../kit/search-query.js';
import { refuseRole } from './access/callers.js';
import {
  type Asking,
  answer,
  asking,
  type Call,
  page,
  type Reasoned,
  type Result,
  type Route,
  readCents,
  refuseAfter,
} from './call.js';
import type { Question, Transfer } from './desk/dealings.js';
import { accountResource, accountResources, transferResource } from './resources/accounts.js';

export interface CreateAccountBody extends Reasoned {
  readonly name?: (string & tags.MinLength<1> & tags.MaxLength<100>) | null;
  readonly tier: Tier;
  /** Dollars; 0 if absent. */
  readonly balance?: number & tags.Minimum<0>;
}
export interface UpdateAccountBody extends Reasoned {
  readonly tier?: Tier;
  readonly frozen?: boolean;
}
export interface TransferBody extends Reasoned {
  readonly amount: number & tags.ExclusiveMinimum<0>;
  readonly reference: string & tags.MinLength<1> & tags.MaxLength<255>;
}

const validateCreateAccount = typia.createValidateEquals<CreateAccountBody>();
const validateUpdateAccount = typia.createValidateEquals<UpdateAccountBody>();
export const validateTransfer = typia.createValidateEquals<TransferBody>();

const ACCOUNTS = 'accounts';

export const accountRoutes: readonly Route[] = [
  { method: 'POST', path: '/accounts', role: 'support', handle: create },
  { method: 'GET', path: '/accounts', role: 'read', handle: list },
  {
    method: 'GET',
    path: '/accounts/{id}',
    role: 'read',
    handle: (call) => asking('account', { account: accountIn(call) }, show(200)),
  },
  { method: 'PATCH', path: '/accounts/{id}', role: 'support', handle: update },
  {
    method: 'POST',
    path: '/accounts/{id}/deposits',
    role: 'admin',
    handle: (call) => transfer('deposit', call),
  },
  {
    method: 'POST',
    path: '/accounts/{id}/withdrawals',
    role: 'admin',
    handle: (call) => transfer('withdraw', call),
  },
];

/** Number of the account that the path names; 0 if that is no account's id. */
export const accountIn = ({ params }: Call): number => parseAccountId(params[0] ?? '');

/** `accountId` in a query; null if there is none. */
export function parseOptionalAccount(given: ReadonlyMap<string, string>): number | null | Refused {
  const id = given.get('accountId');
  if (id === undefined) return null;
  const account = parseAccountId(id);
  return account === 0 ? invalid('accountId must be the id of an account') : account;
}

export const hasAccount = (account: number): Question<'hasAccount'> => ({
  kind: 'hasAccount',
  ask: { account },
});

const show =
  (status: number) =>
  (view: AccountView): Result =>
    answer(status, accountResource(view));

/** Whoever may not pay money in may not do so here, either. */
function create({ request, caller }: Call): Asking | Refused {
  const body = readBody(request, validateCreateAccount);
  if (body instanceof Refused) return body;
  const { name = null, tier, balance = 0 } = body;
  const balanceCents = readCents('balance', balance);
  if (balanceCents instanceof Refused) return balanceCents;
  const refused = balanceCents > 0 ? refuseRole(caller, 'admin') : null;
  if (refused !== null) return refused;
  return asking('createAccount', { name, tier: TIERS.indexOf(tier), balanceCents }, show(201));
}

/** Pages by account number. */
function list({ request }: Call): Asking | Refused {
  const given = parseQuery(request.query, ['name', 'tier', 'frozen', 'after', 'limit', 'cursor']);
  if (given instanceof Refused) return given;
  const searched = searchOf(given, ACCOUNTS);
  if (searched instanceof Refused) return searched;
  const last = given.get('after');
  const after = last === undefined ? 0 : parseAccountId(last);
  if (last !== undefined && after === 0) return invalid('after must be an account id');
  const tier = parseChoice('tier', given.get('tier'), TIERS);
  if (tier instanceof Refused) return tier;
  const frozen = parseFlag('frozen', given.get('frozen'));
  if (frozen instanceof Refused) return frozen;
  const ask = {
    name: given.get('name')?.toLowerCase() ?? null,
    tier: tier === null ? null : TIERS.indexOf(tier),
    frozen,
    after: Math.max(after, searched.after),
    limit: searched.limit,
  };
  return asking('accounts', ask, (...slices) =>
    page(
      slices.flatMap(({ found }) => accountResources(found)),
      nextOf(slices, ACCOUNTS),
    ),
  );
}

function update(call: Call): Asking {
  const account = accountIn(call);
  const body = readBody(call.request, validateUpdateAccount);
  if (body instanceof Refused) return refuseAfter(hasAccount(account), body);
  const { tier, frozen = null } = body;
  if (tier === undefined && frozen === null)
    return refuseAfter(hasAccount(account), invalid('tier or frozen is expected'));
  return asking(
    'updateAccount',
    { account, tier: tier === undefined ? null : TIERS.indexOf(tier), frozen },
    show(200),
  );
}

function transfer(kind: 'deposit' | 'withdraw', call: Call): Asking {
  const account = accountIn(call);
  const given = readTransfer(call);
  return given instanceof Refused
    ? refuseAfter(hasAccount(account), given)
    : asking('transfer', { kind, account, ...given }, showTransfer);
}

export function readTransfer({
  request,
}: Call): { readonly amountCents: number; readonly reference: string } | Refused {
  const body = readBody(request, validateTransfer);
  if (body instanceof Refused) return body;
  const { amount, reference } = body;
  const amountCents = readCents('amount', amount);
  return amountCents instanceof Refused ? amountCents : { amountCents, reference };
}

/** 201 if the money moved, now or earlier under the same reference. */
export const showTransfer = ({ moved, isReplay }: Transfer): Result =>
  answer(201, transferResource(moved), isReplay ? ['X-Idempotent-Replay', 'true'] : []);
