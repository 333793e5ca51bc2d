/** Endpoints of accounts and their money. */
import typia, { type tags } from 'typia';
import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { centsOfDollars, dollarsOfCents } from '../../engine/base/money.js';
import { accountId, parseAccountId, TIERS, type Tier, textAt } from '../../engine/model/domain.js';
import type { BalanceMoved } from '../../engine/model/events.js';
import type { AccountView } from '../../engine/model/views.js';
import { eventsCursor, eventsQuery } from '../api/lists/archive-queries.js';
import { markOf, searchOf } from '../kit/cursor.js';
import { readArchive, refuseInvalid } from '../kit/refused.js';
import { ledgerEntry } from '../wire/archive-text.js';
import type { LedgerEntry } from '../wire/archive-types.js';
import { refuseRole } from './access/callers.js';
import {
  type Answer,
  ARCHIVE_CODES,
  answer,
  type Call,
  type Declared,
  IF_SEEN,
  PAGED,
  page,
  type Reasoned,
  SEARCHED,
  type Services,
  searched,
} from './endpoint.js';
import type { CommandResult, UntimedCommand } from './queries/commands.js';

type Reference = string & tags.MinLength<1> & tags.MaxLength<255>;
interface CreateAccountBody extends Reasoned {
  readonly name?: (string & tags.MinLength<1> & tags.MaxLength<100>) | null;
  readonly tier: Tier;
  /** Dollars; 0 if absent. */
  readonly balance?: number & tags.Minimum<0>;
  readonly reference?: Reference;
}
interface UpdateAccountBody extends Reasoned {
  readonly tier?: Tier;
  readonly frozen?: boolean;
  readonly seen?: Pick<AccountResource, 'tier'>;
}
interface TransferBody extends Reasoned {
  readonly amount: number & tags.ExclusiveMinimum<0>;
  readonly reference: Reference;
}

const validateCreateAccount = typia.createValidateEquals<CreateAccountBody>();
const validateUpdateAccount = typia.createValidateEquals<UpdateAccountBody>();
const validateTransfer = typia.createValidateEquals<TransferBody>();

/** In the place of an account's id. */
const HOUSE = 'house';

export const ACCOUNT_ENDPOINTS: readonly Declared[] = [
  {
    method: 'POST',
    path: '/accounts',
    role: 'support',
    id: 'createAccount',
    summary: 'Open an account',
    text: 'A first balance needs the role admin, and may have a `reference`, which opens one account: the same content is answered again as it was, with `X-Idempotent-Replay`, for ever.',
    schemas: typia.json.schemas<[AccountResource, CreateAccountBody], '3.1'>(),
    status: 201,
    codes: ['reference_conflict'],
    handle: create,
  },
  {
    method: 'GET',
    path: '/accounts',
    id: 'listAccounts',
    summary: 'Accounts by number',
    parameters: ['name', 'tier', 'frozen', ...SEARCHED],
    schemas: typia.json.schemas<[AccountResource], '3.1'>(),
    shape: 'page',
    handle: list,
  },
  {
    method: 'GET',
    path: '/accounts/{id}',
    id: 'getAccount',
    summary: 'One account',
    schemas: typia.json.schemas<[AccountResource], '3.1'>(),
    codes: ['account_not_found'],
    handle: async ({ engine }, { id }) =>
      accountResource(await engine.ask('account', { account: parseAccountId(id) })),
  },
  {
    method: 'PATCH',
    path: '/accounts/{id}',
    role: 'support',
    id: 'updateAccount',
    summary: 'Change the tier, freeze or unfreeze',
    text: IF_SEEN,
    schemas: typia.json.schemas<[AccountResource, UpdateAccountBody], '3.1'>(),
    codes: ['account_not_found', 'preview_outdated'],
    handle: async ({ engine }, call) => {
      const account = parseAccountId(call.id);
      const { tier, frozen = null, seen } = call.body(validateUpdateAccount);
      if (tier === undefined && frozen === null) refuseInvalid('tier or frozen is expected');
      const index = tier === undefined ? null : TIERS.indexOf(tier);
      const command = { kind: 'updateAccount', account, tier: index, frozen } as const;
      const before = seen === undefined ? {} : { tier: TIERS.indexOf(seen.tier) };
      return changedAccount(await engine.command(command, call.by, before));
    },
  },
  transferEndpoint('/accounts/{id}/deposits', 'Pay money in', (money, { id }) => ({
    kind: 'deposit',
    account: parseAccountId(id),
    ...money,
  })),
  transferEndpoint('/accounts/{id}/withdrawals', 'Pay money out', (money, { id }) => ({
    kind: 'withdraw',
    account: parseAccountId(id),
    ...money,
  })),
  {
    method: 'GET',
    path: '/accounts/{id}/ledger',
    id: 'listLedger',
    summary: 'Every movement of an account, newest first',
    parameters: PAGED,
    schemas: typia.json.schemas<[LedgerEntry], '3.1'>(),
    shape: 'page',
    codes: ['account_not_found', ...ARCHIVE_CODES],
    handle: async ({ engine, archive }, call) => {
      const account = parseAccountId(call.id);
      const mark = markOf('ledger', { account });
      const query = eventsQuery(mark, call.given);
      const reachedSeq = await engine.ask('accountSeq', { account });
      const told = await readArchive(archive.ledger, { account, ...query, reachedSeq });
      return page(told.entries.map(ledgerEntry), eventsCursor(mark, told.nextBefore));
    },
  },
  {
    method: 'GET',
    path: '/transfers',
    id: 'listTransfers',
    summary: 'Deposits and withdrawals with a reference',
    parameters: ['reference', 'owner', ...SEARCHED],
    schemas: typia.json.schemas<[TransferResource], '3.1'>(),
    shape: 'page',
    codes: ['account_not_found'],
    handle: transfers,
  },
];

const changedAccount = ({ account }: CommandResult): AccountResource =>
  accountResource(must(account, 'the account that was changed'));

/** A first balance needs the role that deposits need. */
async function create({ engine }: Services, call: Call): Promise<Answer> {
  const { name = null, tier, balance = 0, reference } = call.body(validateCreateAccount);
  const balanceCents = centsIn('balance', balance);
  const refused = balanceCents > 0 ? refuseRole(call.caller, 'admin') : null;
  if (refused !== null) throw refused;
  const index = TIERS.indexOf(tier);
  const money = reference === undefined ? { balanceCents } : { balanceCents, reference };
  const command = { kind: 'createAccount', name, tier: index, ...money } as const;
  const { account: opened, moved, isReplay } = await engine.command(command, call.by);
  const { account } = must(moved ?? opened, 'the account that was opened');
  // A replay is the first answer, whatever has become of the account.
  const made = { id: accountId(account), name, tier, balance: dollarsOfCents(balanceCents), frozen: false };
  return once(made satisfies AccountResource, isReplay);
}

/** The answer of what is done once under a reference. */
const once = (made: AccountResource | TransferResource, isReplay: boolean): Answer =>
  answer(201, made, isReplay ? ['X-Idempotent-Replay', 'true'] : []);

async function list({ engine }: Services, call: Call): Promise<Answer> {
  const { given } = call;
  const tier = call.choice('tier', TIERS);
  const filters = {
    frozen: call.flag('frozen'),
    name: given.get('name')?.toLowerCase() ?? null,
    tier: tier === null ? null : TIERS.indexOf(tier),
  };
  const mark = markOf('accounts', filters);
  const slices = await engine.list('accounts', { ...filters, ...searchOf(mark, given) });
  return searched(slices, mark, accountResource);
}

const centsIn = (field: string, dollars: number): number =>
  centsOfDollars(dollars) ?? refuseInvalid(`${field} must be an amount in dollars with at most two decimals`);

type Money = Pick<BalanceMoved, 'amountCents' | 'reference'>;
type Transfer = Extract<
  UntimedCommand,
  { readonly kind: 'deposit' | 'withdraw' | 'depositHouse' | 'withdrawHouse' }
>;

/** Moves money of an account, or of the house. */
export function transferEndpoint(
  path: string,
  summary: string,
  commandOf: (money: Money, call: Call) => Transfer,
): Declared {
  const isHouse = path.startsWith('/house');
  const isDeposit = path.endsWith('/deposits');
  return {
    method: 'POST',
    path,
    role: 'admin',
    id: `${isDeposit ? 'deposit' : 'withdraw'}${isHouse ? 'House' : ''}`,
    summary,
    text: 'The same reference with the same amount is answered again with `X-Idempotent-Replay`, for ever, and moves nothing.',
    schemas: typia.json.schemas<[TransferResource, TransferBody], '3.1'>(),
    status: 201,
    codes: [
      'reference_conflict',
      ...(isHouse ? [] : (['account_not_found'] as const)),
      ...(isDeposit ? [] : (['insufficient_balance'] as const)),
    ],
    handle: async ({ engine }, call) => {
      const { amount, reference } = call.body(validateTransfer);
      const money = { amountCents: centsIn('amount', amount), reference };
      const { moved, isReplay } = await engine.command(commandOf(money, call), call.by);
      return once(transferResource(must(moved, 'the money that was moved')), isReplay);
    },
  };
}

/** A reference is unique in an account. The house's comes first, the others follow by account. */
async function transfers({ engine }: Services, call: Call): Promise<Answer> {
  const { given } = call;
  const reference = given.get('reference');
  if (reference === undefined || reference === '')
    return refuseInvalid('reference is expected: that of a deposit or a withdrawal');
  const account = given.get('accountId') === HOUSE ? 0 : call.account();
  const mark = markOf('transfers', { reference, account });
  const wanted = { reference, account, ...searchOf(mark, given) };
  return searched(await engine.list('transfers', wanted), mark, transferResource);
}

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

/** A deposit or withdrawal; `balance` is the one right after it. */
interface TransferResource {
  readonly type: 'deposit' | 'withdrawal';
  /** null for the house. */
  readonly accountId: string | null;
  readonly amount: number;
  readonly reference: string;
  readonly balance: number;
  readonly createdAt: string;
}

function transferResource(event: BalanceMoved): TransferResource {
  return {
    type: event.amountCents > 0 ? 'deposit' : 'withdrawal',
    accountId: event.account === 0 ? null : accountId(event.account),
    amount: dollarsOfCents(Math.abs(event.amountCents)),
    reference: event.reference,
    balance: dollarsOfCents(event.balanceCents),
    createdAt: isoText(event.timeMs),
  };
}
