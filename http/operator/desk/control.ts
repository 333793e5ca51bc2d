/** Trading, markets, rounds and the house, as the engine's thread gives and changes them (design, section 8). */
import { must } from '../../../engine/base/assert.js';
import type { OperatorCommand, RecordRefusals } from '../../../engine/model/operators.js';
import { RULES_VERSION } from '../../../engine/model/rules.js';
import type { Totals } from '../../../engine/model/views.js';
import { Refused } from '../../kit/refused.js';
import { transferOf } from './accounts.js';
import type { AskOf, FactsOf, Transfer } from './dealings.js';
import { type After, type Facts, facts, taken } from './reply.js';
import type { Submitter } from './submitter.js';

export const PREVIEW_OUTDATED = new Refused(
  'preview_outdated',
  'the rules, or what would change, are not those of this tag; preview it again',
);

export class ControlDesk {
  constructor(private readonly sequencer: Submitter) {}

  setTrading({ enabled, reason }: AskOf<'setTrading'>): Facts<null> | Refused {
    return this.#submit({ kind: 'setTrading', timeMs: this.sequencer.stampMs(), enabled, reason }, null);
  }

  suspendMarket({ market, suspended }: AskOf<'suspendMarket'>): Facts<null> | Refused {
    const timeMs = this.sequencer.stampMs();
    return this.#submit({ kind: 'suspendMarket', timeMs, market, suspended }, 'all');
  }

  voidRound({ market, roundNumber, reason }: AskOf<'voidRound'>): Facts<null> | Refused {
    const timeMs = this.sequencer.stampMs();
    return this.#submit({ kind: 'voidRound', timeMs, market, roundNumber, reason }, 'all');
  }

  house(): Facts<Totals> {
    const { engine } = this.sequencer;
    return facts(engine.totals(), engine.seq);
  }

  /** New capital may open rounds, which the answer waits for. */
  transferHouse(ask: AskOf<'transferHouse'>): Facts<Transfer> | Refused {
    const moved = transferOf(this.sequencer.submit({ timeMs: this.sequencer.stampMs(), ...ask }));
    return moved instanceof Refused ? moved : { ...moved, after: 'all' };
  }

  rules(): Facts<FactsOf<'rules'>> {
    const { engine } = this.sequencer;
    const rules = must(engine.rules, 'rules in force');
    return facts({ rules, rulesVersion: engine.rulesVersion, timeMs: this.sequencer.stampMs() }, engine.seq);
  }

  configure({ before, rules }: AskOf<'configure'>): Facts<null> | Refused {
    if (JSON.stringify(this.sequencer.engine.rules) !== before) return PREVIEW_OUTDATED;
    const timeMs = this.sequencer.stampMs();
    return this.#submit({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules }, null);
  }

  lastAction(): Facts<number> {
    const { lastSeq } = this.sequencer;
    return facts(lastSeq, lastSeq);
  }

  recordRefusals(ask: AskOf<'recordRefusals'>): Facts<null> | Refused {
    return this.#submit({ kind: 'recordRefusals', timeMs: this.sequencer.stampMs(), ...ask }, null);
  }

  /** `after` is null where the answer waits for just this command. */
  #submit(command: OperatorCommand | RecordRefusals, after: After | null): Facts<null> | Refused {
    const outcome = taken(this.sequencer.submit(command));
    return outcome instanceof Refused ? outcome : facts(null, after ?? outcome.seq);
  }
}
