/** Accounts and their money, as the engine's thread gives and changes them (design, sections 3 and 8). */
import { must } from '../../../engine/base/assert.js';
import { eventOf } from '../../../engine/model/events.js';
import type { AccountView } from '../../../engine/model/views.js';
import { Refused } from '../../kit/refused.js';
import type { Slice } from '../../kit/search-query.js';
import type { AccountColumns, AskOf, Transfer } from './dealings.js';
import { eventsOf, type Facts, facts, Slices, taken } from './reply.js';
import { search } from './search.js';
import type { Submitter } from './submitter.js';

export class AccountDesk {
  constructor(private readonly sequencer: Submitter) {}

  has({ account }: AskOf<'hasAccount'>): Facts<null> | Refused {
    return this.#find(account) instanceof Refused ? NO_ACCOUNT : facts(null, 0);
  }

  get({ account }: AskOf<'account'>): Facts<AccountView> | Refused {
    const view = this.#find(account);
    return view instanceof Refused ? view : facts(view, this.sequencer.engine.seq);
  }

  list({ name, tier, frozen, ...searched }: AskOf<'accounts'>): Slices<Slice<AccountColumns>> {
    const { engine } = this.sequencer;
    const look = (account: number): AccountView | null => {
      const view = this.#view(account);
      if (tier !== null && view.tier !== tier) return null;
      if (frozen !== null && view.frozen !== frozen) return null;
      return name === null || view.name?.toLowerCase().includes(name) === true ? view : null;
    };
    return new Slices(search(searched, engine.accountCount, look, columns, () => engine.seq));
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

function columns(views: readonly AccountView[]): AccountColumns {
  return {
    accounts: Float64Array.from(views, ({ account }) => account),
    names: views.map(({ name }) => name),
    tiers: Uint8Array.from(views, ({ tier }) => tier),
    frozen: Uint8Array.from(views, ({ frozen }) => (frozen ? 1 : 0)),
    balancesCents: Float64Array.from(views, ({ balanceCents }) => balanceCents),
  };
}

/** The movement that a transfer made, now or earlier under the same reference. */
export function transferOf(submitted: ReturnType<Submitter['submit']>): Facts<Transfer> | Refused {
  const outcome = taken(submitted);
  if (outcome instanceof Refused) return outcome;
  if (outcome.status === 'replayed' && outcome.event.type === 'balanceMoved')
    return facts({ moved: outcome.event, isReplay: true }, outcome.seq);
  return facts({ moved: eventOf(eventsOf(outcome), 'balanceMoved'), isReplay: false }, outcome.seq);
}
