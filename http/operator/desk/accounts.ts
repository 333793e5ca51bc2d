/** Accounts and their money, as the engine's thread gives and changes them (design, sections 3 and 8). */
import { must } from '../../../engine/base/assert.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { AccountView, EngineReads } from '../../../engine/model/views.js';
import { eventOf } from '../../event-of.js';
import { Refused } from '../../kit/refused.js';
import type { AccountColumns, AskOf, Transfer } from './dealings.js';
import { type After, eventsOf, type Facts, facts, Slices, taken } from './reply.js';

/** Accounts in a slice: as many as a page has unless more are asked for, so that a usual page shows one moment. */
export const SLICE_ACCOUNTS = 100;

export class AccountDesk {
  constructor(private readonly sequencer: Sequencer) {}

  has({ account }: AskOf<'hasAccount'>): Facts<null> | Refused {
    return this.#find(account) instanceof Refused ? NO_ACCOUNT : facts(null, 0);
  }

  get({ account }: AskOf<'account'>): Facts<AccountView> | Refused {
    const view = this.#find(account);
    return view instanceof Refused ? view : facts(view, this.sequencer.engine.seq);
  }

  list({ after, limit }: AskOf<'accounts'>): Slices<AccountColumns> {
    return new Slices(slices(this.sequencer.engine, after, limit));
  }

  create({ name, tier, balanceCents }: AskOf<'createAccount'>): Facts<AccountView> | Refused {
    const timeMs = this.sequencer.stampMs();
    const outcome = taken(this.sequencer.submit({ kind: 'createAccount', timeMs, name, tier, balanceCents }));
    if (outcome instanceof Refused) return outcome;
    const { account } = eventOf(eventsOf(outcome), 'accountCreated');
    return facts(this.#view(account), outcome.seq);
  }

  update({ account, tier, frozen }: AskOf<'updateAccount'>): Facts<AccountView> | Refused {
    const view = this.#find(account);
    if (view instanceof Refused) return view;
    const timeMs = this.sequencer.stampMs();
    const outcome = taken(this.sequencer.submit({ kind: 'updateAccount', timeMs, account, tier, frozen }));
    return outcome instanceof Refused ? outcome : facts(this.#view(account), outcome.seq);
  }

  transfer({ kind, account, amountCents, reference }: AskOf<'transfer'>): Facts<Transfer> | Refused {
    const view = this.#find(account);
    if (view instanceof Refused) return view;
    const timeMs = this.sequencer.stampMs();
    return transferOf(this.sequencer.submit({ kind, timeMs, account, amountCents, reference }));
  }

  #find(account: number): AccountView | Refused {
    return this.sequencer.engine.account(account) ?? NO_ACCOUNT;
  }

  #view(account: number): AccountView {
    return must(this.sequencer.engine.account(account), `account ${account}`);
  }
}

export const NO_ACCOUNT = new Refused('account_not_found', 'no such account');

function* slices(engine: EngineReads, after: number, limit: number): Generator<AccountColumns, After, void> {
  const last = Math.min(after + limit, engine.accountCount);
  for (let first = after + 1; first <= last; first += SLICE_ACCOUNTS) {
    yield columns(engine, first, Math.min(SLICE_ACCOUNTS, last - first + 1));
  }
  return engine.seq;
}

function columns(engine: EngineReads, first: number, count: number): AccountColumns {
  const names: (string | null)[] = [];
  const tiers = new Uint8Array(count);
  const frozen = new Uint8Array(count);
  const balancesCents = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const view = must(engine.account(first + at), `account ${first + at}`);
    names.push(view.name);
    tiers[at] = view.tier;
    frozen[at] = view.frozen ? 1 : 0;
    balancesCents[at] = view.balanceCents;
  }
  return { first, names, tiers, frozen, balancesCents };
}

/** The movement that a transfer made, now or earlier under the same reference. */
export function transferOf(submitted: ReturnType<Sequencer['submit']>): Facts<Transfer> | Refused {
  const outcome = taken(submitted);
  if (outcome instanceof Refused) return outcome;
  if (outcome.status === 'replayed' && outcome.event.type === 'balanceMoved')
    return facts({ moved: outcome.event, isReplay: true }, outcome.seq);
  return facts({ moved: eventOf(eventsOf(outcome), 'balanceMoved'), isReplay: false }, outcome.seq);
}
