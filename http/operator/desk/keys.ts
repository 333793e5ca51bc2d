/** API keys, as the engine's thread gives and changes them (design, sections 3 and 8). */
import { must } from '../../../engine/base/assert.js';
import { eventOf } from '../../../engine/model/events.js';
import type { KeyView } from '../../../engine/model/views.js';
import { invalid, Refused } from '../../kit/refused.js';
import type { Slice } from '../../kit/search-query.js';
import { NO_ACCOUNT } from './accounts.js';
import type { AskOf, FactsOf } from './dealings.js';
import { eventsOf, type Facts, facts, Slices, taken } from './reply.js';
import { search } from './search.js';
import type { Submitter } from './submitter.js';

const PAST = invalid('expiresAt is past');
const NO_KEY = new Refused('key_not_found', 'no such key');

export class KeyDesk {
  constructor(private readonly sequencer: Submitter) {}

  has({ key }: AskOf<'hasKey'>): Facts<null> | Refused {
    return this.#exists(key) ? facts(null, 0) : NO_KEY;
  }

  list({
    account,
    enabled,
    expiresBeforeMs,
    ...searched
  }: AskOf<'keys'>): Slices<Slice<readonly KeyView[]>> | Refused {
    const { engine } = this.sequencer;
    if (account !== null && engine.account(account) === null) return NO_ACCOUNT;
    const own = account === null ? null : engine.keysOf(account);
    const look = (number: number): KeyView | null => {
      const view = own === null ? engine.key(number) : must(own[number - 1], 'key of the account');
      if (enabled !== null && view.enabled !== enabled) return null;
      if (expiresBeforeMs !== null && (view.expiresAtMs ?? Number.POSITIVE_INFINITY) >= expiresBeforeMs)
        return null;
      return view;
    };
    const pack = (found: readonly KeyView[]): KeyView[] => found.map(shown);
    return new Slices(search(searched, own?.length ?? engine.keyCount, look, pack, () => engine.seq));
  }

  create(ask: AskOf<'createKey'>): Facts<KeyView> | Refused {
    const { account, expiresAtMs } = ask;
    if (this.sequencer.engine.account(account) === null) return NO_ACCOUNT;
    const timeMs = this.sequencer.stampMs();
    if (expiresAtMs !== null && expiresAtMs <= timeMs) return PAST;
    const outcome = taken(this.sequencer.submit({ kind: 'createKey', timeMs, ...ask }));
    if (outcome instanceof Refused) return outcome;
    const { key } = eventOf(eventsOf(outcome), 'keyCreated');
    return facts(shown(this.sequencer.engine.key(key)), outcome.seq);
  }

  update({ key, enabled }: AskOf<'updateKey'>): Facts<KeyView> | Refused {
    if (!this.#exists(key)) return NO_KEY;
    const timeMs = this.sequencer.stampMs();
    const outcome = taken(this.sequencer.submit({ kind: 'updateKey', timeMs, key, enabled }));
    return outcome instanceof Refused ? outcome : facts(shown(this.sequencer.engine.key(key)), outcome.seq);
  }

  expire({ key, expiresAtMs }: AskOf<'expireKey'>): Facts<KeyView> | Refused {
    if (!this.#exists(key)) return NO_KEY;
    const timeMs = this.sequencer.stampMs();
    if (expiresAtMs <= timeMs) return PAST;
    const outcome = taken(this.sequencer.submit({ kind: 'expireKey', timeMs, key, expiresAtMs }));
    return outcome instanceof Refused ? outcome : facts(shown(this.sequencer.engine.key(key)), outcome.seq);
  }

  rotate({ overlapMs, ...ask }: AskOf<'rotateKey'>): Facts<FactsOf<'rotateKey'>> | Refused {
    if (!this.#exists(ask.key)) return NO_KEY;
    const { sequencer } = this;
    const timeMs = sequencer.stampMs();
    if (ask.expiresAtMs !== null && ask.expiresAtMs <= timeMs + overlapMs)
      return invalid('expiresAt must be after the overlap');
    const outcome = taken(
      sequencer.submit({ kind: 'rotateKey', timeMs, overlapEndsMs: timeMs + overlapMs, ...ask }),
    );
    if (outcome instanceof Refused) return outcome;
    const { key } = eventOf(eventsOf(outcome), 'keyCreated');
    const { engine } = sequencer;
    return facts({ made: shown(engine.key(key)), replaced: shown(engine.key(ask.key)) }, outcome.seq);
  }

  #exists(key: number): boolean {
    return key > 0 && key <= this.sequencer.engine.keyCount;
  }
}

/** A copy as of now, without the digest: the engine's own record changes with the next command. */
const shown = ({ key, account, scopesMask, enabled, expiresAtMs, createdAtMs }: KeyView): KeyView => ({
  key,
  account,
  scopesMask,
  enabled,
  expiresAtMs,
  createdAtMs,
});
