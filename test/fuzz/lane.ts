/**
 * Sends requests one after the other. Framed requests share a keep-alive connection, because a server that took one
 * for two would answer the next one wrongly; every broken one gets a connection of its own.
 */
import { RawClient } from '../support/http/raw-client.js';
import { type Answer, takeAnswer } from './answers.js';
import type { Prepared } from './requests.js';

export type Outcome = readonly Answer[];

/** A server that is silent for this long hangs. Its own limits on slow requests are shorter. */
const SILENCE_MS_MAX = 30_000;

export class Lane {
  #client: RawClient | null = null;

  constructor(private readonly port: number) {}

  exchange(prepared: Prepared): Promise<Outcome> {
    return prepared.isFramed ? this.#framed(prepared) : this.#raw(prepared);
  }

  close(): void {
    this.#client?.socket.destroy();
    this.#client = null;
  }

  async #framed({ bytes, method }: Prepared): Promise<Outcome> {
    if (this.#client?.isClosed !== false) this.#client = await this.#connected();
    const client = this.#client;
    client.received = '';
    client.socket.write(bytes);
    const take = () => takeAnswer(Buffer.from(client.received, 'latin1'), 0, method === 'HEAD');
    await client.until(() => take() !== null);
    const taken = take();
    if (taken === null) throw new Error('closed, or silent, without an answer to a framed request');
    if (taken.end !== client.received.length) throw new Error('more than one answer to one request');
    if (taken.answer.headers.get('connection') === 'close') this.close();
    return [taken.answer];
  }

  /** Closes the client's end at once: the server need not wait for more. */
  async #raw({ bytes }: Prepared): Promise<Outcome> {
    const client = await this.#connected();
    client.socket.end(bytes);
    const received = Buffer.from(await client.toEnd(), 'latin1');
    if (client.isSilent) throw new Error('the server neither answers nor closes');
    const answers: Answer[] = [];
    for (let at = 0; at < received.length; ) {
      const taken = takeAnswer(received, at, false);
      // A last answer may be cut off by the close.
      if (taken === null) break;
      answers.push(taken.answer);
      at = taken.end;
    }
    return answers;
  }

  async #connected(): Promise<RawClient & { isSilent: boolean }> {
    const client = Object.assign(await RawClient.open(this.port), { isSilent: false });
    client.socket.setTimeout(SILENCE_MS_MAX, () => {
      client.isSilent = true;
      client.socket.destroy();
    });
    return client;
  }
}
