/** Files that SIGHUP reads anew under a running server, while everything else goes on. */
import { messageOf } from '../engine/base/attempt.js';
import type { OperatorToken } from '../engine/model/operators.js';
import type { Log } from './log/log.js';

/** Resolves with the news, as a sentence, or null if there is none. Rejects with the reason why all stays as it was. */
export type Reload = () => Promise<string | null>;

/** Reads the operators' tokens again and hands them to `putInForce`. All but one are tokens with names. */
export const tokensReload =
  (read: () => readonly OperatorToken[], putInForce: (tokens: readonly OperatorToken[]) => void): Reload =>
  async () => {
    const tokens = read();
    putInForce(tokens);
    return `${tokens.length - 1} with names are in force`;
  };

export class Reloads {
  readonly #named = new Map<string, Reload>();
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly log: Log) {}

  /** `name` is for the log. A second reload of the same name replaces the first. */
  add(name: string, reload: Reload): this {
    this.#named.set(name, reload);
    return this;
  }

  /** From now on SIGHUP runs them, except on a terminal: there it says that the terminal has gone, and ends the server. */
  watch(): void {
    if (process.stdin.isTTY) return;
    process.on('SIGHUP', () => void this.run());
  }

  /** One after another; where one is refused, the others are run nevertheless. */
  run(): Promise<void> {
    this.#last = this.#last.then(() => this.#run());
    return this.#last;
  }

  async #run(): Promise<void> {
    for (const [what, reload] of this.#named) {
      try {
        const news = await reload();
        this.log.write('reloaded', { what }, `${what}: ${news ?? 'nothing has changed'}`);
      } catch (error) {
        const reason = messageOf(error).replace(/\.$/, '');
        this.log.write('reload_failed', { what }, `${what}: ${reason}; what was in force stays`);
      }
    }
  }
}
