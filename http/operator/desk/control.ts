/** Trading, markets, rounds and the house, as the engine's thread gives and changes them (design, section 8). */
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { SubmittedCommand } from '../../../engine/model/commands.js';
import type { Totals } from '../../../engine/model/views.js';
import { Refused } from '../../kit/refused.js';
import { transferOf } from './accounts.js';
import type { AskOf, Transfer } from './dealings.js';
import { type After, type Facts, facts, taken } from './reply.js';

export class ControlDesk {
  constructor(private readonly sequencer: Sequencer) {}

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

  /** `after` is null where the answer waits for just this command. */
  #submit(command: SubmittedCommand, after: After | null): Facts<null> | Refused {
    const outcome = taken(this.sequencer.submit(command));
    return outcome instanceof Refused ? outcome : facts(null, after ?? outcome.seq);
  }
}
