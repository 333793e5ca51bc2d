/** Operator routes for accounts, their money and their keys (design, sections 3 and 8). */
import typia, { type tags } from 'typia';
import { must } from '../../engine/base/assert.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import {
  parseAccountId,
  parseKeyId,
  type Scope,
  scopesMask,
  TIERS,
  type Tier,
} from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { AccountView } from '../../engine/model/views.js';
import { eventOf } from '../event-of.js';
import { generateKeySecret, keyDigest } from '../keys.js';
import {
  type Answer,
  answer,
  type Call,
  checkQuery,
  Refusal,
  type Route,
  readBody,
  readCents,
  readTimeMs,
  taken,
} from './call.js';
import { accountResource, keyResource, transferResource } from './resources.js';

interface CreateAccountBody {
  readonly name?: (string & tags.MinLength<1> & tags.MaxLength<100>) | null;
  readonly tier: Tier;
  /** Dollars; 0 where absent. */
  readonly balance?: number & tags.Minimum<0>;
}
interface UpdateAccountBody {
  readonly tier?: Tier;
  readonly frozen?: boolean;
}
export interface TransferBody {
  readonly amount: number & tags.ExclusiveMinimum<0>;
  readonly reference: string & tags.MinLength<1> & tags.MaxLength<255>;
}
interface CreateKeyBody {
  readonly scopes: readonly Scope[] & tags.MinItems<1> & tags.UniqueItems;
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
}
interface UpdateKeyBody {
  readonly enabled: boolean;
}

const validateCreateAccount = typia.createValidateEquals<CreateAccountBody>();
const validateUpdateAccount = typia.createValidateEquals<UpdateAccountBody>();
export const validateTransfer = typia.createValidateEquals<TransferBody>();
const validateCreateKey = typia.createValidateEquals<CreateKeyBody>();
const validateUpdateKey = typia.createValidateEquals<UpdateKeyBody>();

const PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000;

export function accountRoutes(sequencer: Sequencer): readonly Route[] {
  const routes = new AccountRoutes(sequencer);
  return [
    { method: 'POST', path: '/accounts', handle: (call) => routes.create(call) },
    { method: 'GET', path: '/accounts', handle: (call) => routes.list(call) },
    { method: 'GET', path: '/accounts/{id}', handle: (call) => routes.get(call) },
    { method: 'PATCH', path: '/accounts/{id}', handle: (call) => routes.update(call) },
    { method: 'POST', path: '/accounts/{id}/deposits', handle: (call) => routes.transfer('deposit', call) },
    {
      method: 'POST',
      path: '/accounts/{id}/withdrawals',
      handle: (call) => routes.transfer('withdraw', call),
    },
    { method: 'POST', path: '/accounts/{id}/keys', handle: (call) => routes.createKey(call) },
    { method: 'GET', path: '/accounts/{id}/keys', handle: (call) => routes.listKeys(call) },
    { method: 'PATCH', path: '/keys/{id}', handle: (call) => routes.updateKey(call) },
  ];
}

class AccountRoutes {
  constructor(private readonly sequencer: Sequencer) {}

  create(call: Call): Answer {
    const { name = null, tier, balance = 0 } = readBody(call, validateCreateAccount);
    const outcome = taken(
      this.sequencer.submit({
        kind: 'createAccount',
        timeMs: this.sequencer.stampMs(),
        name,
        tier: TIERS.indexOf(tier),
        balanceCents: readCents('balance', balance),
      }),
    );
    const created = eventOf(eventsOf(outcome), 'accountCreated');
    return answer(201, accountResource(this.account(created.account)), outcome.seq);
  }

  /** Pages by account number: `after` is the last id of the page before. */
  list({ query }: Call): Answer {
    checkQuery(query, ['limit', 'after']);
    const limit = readLimit(query.get('limit'));
    const after = query.get('after');
    const first = after === null ? 1 : accountNumber(after, 'after') + 1;
    const { engine } = this.sequencer;
    const page = [];
    for (let account = first; account <= engine.accountCount && page.length < limit; account++) {
      page.push(accountResource(this.account(account)));
    }
    return answer(200, page, engine.seq);
  }

  get(call: Call): Answer {
    return answer(200, accountResource(this.accountOf(call)), this.sequencer.engine.seq);
  }

  update(call: Call): Answer {
    const { account } = this.accountOf(call);
    const { tier, frozen } = readBody(call, validateUpdateAccount);
    if (tier === undefined && frozen === undefined)
      throw new Refusal('invalid_request', 'tier or frozen is expected');
    const outcome = taken(
      this.sequencer.submit({
        kind: 'updateAccount',
        timeMs: this.sequencer.stampMs(),
        account,
        tier: tier === undefined ? null : TIERS.indexOf(tier),
        frozen: frozen ?? null,
      }),
    );
    return answer(200, accountResource(this.account(account)), outcome.seq);
  }

  transfer(kind: 'deposit' | 'withdraw', call: Call): Answer {
    const { account } = this.accountOf(call);
    const { amount, reference } = readBody(call, validateTransfer);
    const amountCents = readCents('amount', amount);
    const timeMs = this.sequencer.stampMs();
    return transferAnswer(this.sequencer.submit({ kind, timeMs, account, amountCents, reference }));
  }

  createKey(call: Call): Answer {
    const { account } = this.accountOf(call);
    const { scopes, expiresAt = null } = readBody(call, validateCreateKey);
    const timeMs = this.sequencer.stampMs();
    const expiresAtMs = expiresAt === null ? null : readTimeMs('expiresAt', expiresAt);
    if (expiresAtMs !== null && expiresAtMs <= timeMs)
      throw new Refusal('invalid_request', 'expiresAt is past');
    const secret = generateKeySecret();
    const outcome = taken(
      this.sequencer.submit({
        kind: 'createKey',
        timeMs,
        account,
        digest: keyDigest(secret),
        scopesMask: scopesMask(scopes),
        expiresAtMs,
      }),
    );
    const { id, ...rest } = keyResource(
      this.sequencer.engine.key(eventOf(eventsOf(outcome), 'keyCreated').key),
    );
    return answer(201, { id, secret, ...rest }, outcome.seq);
  }

  listKeys(call: Call): Answer {
    const { account } = this.accountOf(call);
    const { engine } = this.sequencer;
    return answer(200, engine.keysOf(account).map(keyResource), engine.seq);
  }

  updateKey(call: Call): Answer {
    const { engine } = this.sequencer;
    const key = parseKeyId(call.params[0] ?? '');
    if (key === 0 || key > engine.keyCount) throw new Refusal('key_not_found', 'no such key');
    const { enabled } = readBody(call, validateUpdateKey);
    const outcome = taken(
      this.sequencer.submit({ kind: 'updateKey', timeMs: this.sequencer.stampMs(), key, enabled }),
    );
    return answer(200, keyResource(engine.key(key)), outcome.seq);
  }

  private accountOf(call: Call): AccountView {
    const view = this.sequencer.engine.account(parseAccountId(call.params[0] ?? ''));
    if (view === null) throw new Refusal('account_not_found', 'no such account');
    return view;
  }

  private account(account: number): AccountView {
    return must(this.sequencer.engine.account(account), `account ${account}`);
  }
}

const eventsOf = (outcome: ReturnType<typeof taken>): readonly EngineEvent[] =>
  outcome.status === 'accepted' ? outcome.events : [];

/** 201 for money that moved, now or before under the same reference. */
export function transferAnswer(submitted: ReturnType<Sequencer['submit']>): Answer {
  const outcome = taken(submitted);
  if (outcome.status === 'replayed' && outcome.event.type === 'balanceMoved') {
    return answer(201, transferResource(outcome.event), outcome.seq, ['X-Idempotent-Replay', 'true']);
  }
  return answer(201, transferResource(eventOf(eventsOf(outcome), 'balanceMoved')), outcome.seq);
}

function accountNumber(id: string, field: string): number {
  const account = parseAccountId(id);
  if (account === 0) throw new Refusal('invalid_request', `${field} must be an account id`);
  return account;
}

function readLimit(text: string | null): number {
  if (text === null) return PAGE_DEFAULT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > PAGE_MAX)
    throw new Refusal('invalid_request', `limit must be from 1 to ${PAGE_MAX}`);
  return limit;
}
