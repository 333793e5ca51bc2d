/** Operator routes for accounts and their money (design, sections 3 and 8). */
import typia, { type tags } from 'typia';
import { must } from '../../engine/base/assert.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { parseAccountId, TIERS, type Tier } from '../../engine/model/domain.js';
import type { AccountView } from '../../engine/model/views.js';
import { eventOf } from '../event-of.js';
import { readBody } from '../kit/body.js';
import { parseLimit, parseQuery } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import { answer, type Call, eventsOf, type Result, type Route, readCents, taken } from './call.js';
import { accountResource, transferResource } from './resources.js';

interface CreateAccountBody {
  readonly name?: (string & tags.MinLength<1> & tags.MaxLength<100>) | null;
  readonly tier: Tier;
  /** Dollars; 0 if absent. */
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

const validateCreateAccount = typia.createValidateEquals<CreateAccountBody>();
const validateUpdateAccount = typia.createValidateEquals<UpdateAccountBody>();
export const validateTransfer = typia.createValidateEquals<TransferBody>();

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
  ];
}

class AccountRoutes {
  constructor(private readonly sequencer: Sequencer) {}

  create(call: Call): Result {
    const body = readBody(call.request, validateCreateAccount);
    if (body instanceof Refused) return body;
    const { name = null, tier, balance = 0 } = body;
    const balanceCents = readCents('balance', balance);
    if (balanceCents instanceof Refused) return balanceCents;
    const outcome = taken(
      this.sequencer.submit({
        kind: 'createAccount',
        timeMs: this.sequencer.stampMs(),
        name,
        tier: TIERS.indexOf(tier),
        balanceCents,
      }),
    );
    if (outcome instanceof Refused) return outcome;
    const created = eventOf(eventsOf(outcome), 'accountCreated');
    return answer(201, accountResource(this.account(created.account)), outcome.seq);
  }

  /** Pages by account number: `after` is the last id of the previous page. */
  list({ request }: Call): Result {
    const given = parseQuery(request.query, ['limit', 'after']);
    if (given instanceof Refused) return given;
    const limit = parseLimit(given.get('limit'), PAGE_DEFAULT, PAGE_MAX);
    if (limit instanceof Refused) return limit;
    const after = given.get('after');
    const last = after === undefined ? 0 : parseAccountId(after);
    if (after !== undefined && last === 0) return invalid('after must be an account id');
    const { engine } = this.sequencer;
    const page = [];
    for (let account = last + 1; account <= engine.accountCount && page.length < limit; account++) {
      page.push(accountResource(this.account(account)));
    }
    return answer(200, page, engine.seq);
  }

  get(call: Call): Result {
    const view = findAccount(this.sequencer, call);
    return view instanceof Refused ? view : answer(200, accountResource(view), this.sequencer.engine.seq);
  }

  update(call: Call): Result {
    const view = findAccount(this.sequencer, call);
    if (view instanceof Refused) return view;
    const { account } = view;
    const body = readBody(call.request, validateUpdateAccount);
    if (body instanceof Refused) return body;
    const { tier, frozen } = body;
    if (tier === undefined && frozen === undefined) return invalid('tier or frozen is expected');
    const outcome = taken(
      this.sequencer.submit({
        kind: 'updateAccount',
        timeMs: this.sequencer.stampMs(),
        account,
        tier: tier === undefined ? null : TIERS.indexOf(tier),
        frozen: frozen ?? null,
      }),
    );
    if (outcome instanceof Refused) return outcome;
    return answer(200, accountResource(this.account(account)), outcome.seq);
  }

  transfer(kind: 'deposit' | 'withdraw', call: Call): Result {
    const view = findAccount(this.sequencer, call);
    if (view instanceof Refused) return view;
    const { account } = view;
    const body = readBody(call.request, validateTransfer);
    if (body instanceof Refused) return body;
    const { amount, reference } = body;
    const amountCents = readCents('amount', amount);
    if (amountCents instanceof Refused) return amountCents;
    const timeMs = this.sequencer.stampMs();
    return transferResult(this.sequencer.submit({ kind, timeMs, account, amountCents, reference }));
  }

  private account(account: number): AccountView {
    return must(this.sequencer.engine.account(account), `account ${account}`);
  }
}

/** The account that the path names. */
export function findAccount({ engine }: Sequencer, call: Call): AccountView | Refused {
  const view = engine.account(parseAccountId(call.params[0] ?? ''));
  return view ?? new Refused('account_not_found', 'no such account');
}

/** 201 if the money moved, now or earlier under the same reference. */
export function transferResult(submitted: ReturnType<Sequencer['submit']>): Result {
  const outcome = taken(submitted);
  if (outcome instanceof Refused) return outcome;
  if (outcome.status === 'replayed' && outcome.event.type === 'balanceMoved') {
    return answer(201, transferResource(outcome.event), outcome.seq, ['X-Idempotent-Replay', 'true']);
  }
  return answer(201, transferResource(eventOf(eventsOf(outcome), 'balanceMoved')), outcome.seq);
}
