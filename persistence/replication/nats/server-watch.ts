/** Which NATS servers answer while there is trouble with them. A client's error tells of one at most. */
import { connect } from 'node:net';
import { hostAndPortOf } from '../../../config/nats-servers.js';

/** Operators wait for it. */
const ANSWER_MS_MAX = 500;
const LOOK_EVERY_MS = 5_000;

type Answer = 'answers' | 'refuses connections' | 'is silent' | 'fails';

/** A NATS server speaks first, even before TLS. */
export function answerOf(server: string, waitMs: number): Promise<Answer> {
  const [host, port] = hostAndPortOf(server);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: waitMs });
    const end = (answer: Answer): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', () => end('answers'));
    socket.once('timeout', () => end('is silent'));
    socket.once('end', () => end('fails'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ECONNREFUSED' ? 'refuses connections' : 'fails'),
    );
  });
}

const inWords = (answer: Answer): string =>
  answer === 'is silent' || answer === 'fails' ? 'does not answer' : answer;

export class ServerWatch {
  #seen: ReadonlyMap<string, { readonly answer: string; readonly sinceMs: number }> = new Map();
  #trouble: string | null = null;
  #told: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** `tell` gets a sentence about all servers, another one when something changes, and null when the trouble is over. */
  constructor(
    private readonly servers: readonly string[],
    private readonly tell: (reason: string | null) => void,
  ) {}

  onTrouble(reason: string | null): void {
    const isNew = this.#trouble === null;
    this.#trouble = reason;
    if (reason === null) {
      clearTimeout(this.#timer);
      this.#seen = new Map();
      this.#say(null);
    } else if (isNew) void this.#look();
  }

  /** Tells the newest reason: it may be another one after each attempt. */
  async #look(): Promise<void> {
    await this.#askAll();
    if (this.#trouble === null) return;
    this.#say(this.#sentence(this.#trouble));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  #say(reason: string | null): void {
    if (reason === this.#told) return;
    this.#told = reason;
    this.tell(reason);
  }

  /** The client's `reason` comes first where enough of them answer. */
  async explain(reason: string): Promise<string> {
    await this.#askAll();
    return this.#sentence(reason);
  }

  async #askAll(): Promise<void> {
    const answers = await Promise.all(
      this.servers.map(async (server) => [server, inWords(await answerOf(server, ANSWER_MS_MAX))] as const),
    );
    const before = this.#seen;
    this.#seen = new Map(
      answers.map(([server, answer]) => {
        const known = before.get(server);
        return [server, known?.answer === answer ? known : { answer, sinceMs: Date.now() }];
      }),
    );
  }

  #sentence(reason: string): string {
    const answers = [...this.#seen.values()];
    const [count, answering] = [answers.length, answers.filter(({ answer }) => answer === 'answers').length];
    const needed = count < 3 ? 1 : Math.floor(count / 2) + 1;
    const each = [...this.#seen].map(([server, { answer, sinceMs }]) =>
      answer === 'answers' ? `${server} answers` : `${server} ${answer} since ${timeText(sinceMs)}`,
    );
    const all = `${answering} of ${count} NATS servers answer`;
    if (answering === count) return `${reason} (${all})`;
    if (answering >= needed) return `${reason} (${all}: ${each.join(', ')})`;
    return `${all}, and ${needed} are needed: ${each.join(', ')} (${reason})`;
  }
}

const timeText = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
