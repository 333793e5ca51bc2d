/**
 * The console's stream: pages that watch, and their message each second. It is asked for and rendered once for all of
 * them, and not at all while nobody watches. While the engine's thread does not answer, no further question is put to
 * it.
 */
import type { HttpRequest, StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import { later } from '../kit/client-work.js';
import { type Refused, UPGRADE_REQUIRED } from '../kit/refused.js';
import type { Session, Sessions } from './sessions.js';

/** The console's own close codes of a WebSocket: the session has ended, and the page asks for a login. */
export const SESSION_ENDED = 4401;
/** A browser tells a page why its stream was closed, but not why it was refused. */
export const TOO_MANY = 4429;
export const WATCHERS_MAX = 50;
/** A page that has not read so much is behind by some messages, and gets the next one it has room for. */
const WAITING_BYTES_MAX = 64 * 1024;
/** The server stops (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

export class Watchers {
  readonly #watchers = new Map<StreamSocket, Session>();
  #isRendering = false;
  /** null if the last second has no message. */
  #newest: string | null = null;

  /** `message` is for all of them. */
  constructor(
    private readonly sessions: Pick<Sessions, 'isOpen'>,
    private readonly message: () => Promise<object>,
  ) {}

  /** Opens the stream in place of an answer, or returns a refusal. */
  open(request: HttpRequest, session: Session): Refused | null {
    const { upgrade } = request;
    if (upgrade === undefined) return UPGRADE_REQUIRED;
    upgrade.accept('', (socket) => this.#ownerOf(socket, session));
    return null;
  }

  #ownerOf(socket: StreamSocket, session: Session): StreamOwner {
    // Pages say nothing.
    const onWord = (): void => socket.close(POLICY_VIOLATION, 'nothing is expected from a page');
    return {
      onOpen: () => this.begin(socket, session),
      onMessage: onWord,
      onPing: onWord,
      onPong: () => undefined,
      onRoom: () => undefined,
      onFault: () => socket.close(INTERNAL_ERROR, 'internal_error'),
      onClosed: () => this.#watchers.delete(socket),
    };
  }

  begin(socket: StreamSocket, session: Session): void {
    if (this.#watchers.size >= WATCHERS_MAX) {
      socket.close(TOO_MANY, `${WATCHERS_MAX} consoles are open, and no more may be: close one`);
      return;
    }
    this.#watchers.set(socket, session);
    if (this.#newest === null) this.tick();
    else socket.send(this.#newest);
  }

  /** Its pages stay open for as long as its new ticket is good. */
  renew(session: Session): void {
    for (const [socket, { id }] of this.#watchers) if (id === session.id) this.#watchers.set(socket, session);
  }

  tick(): void {
    for (const [socket, session] of [...this.#watchers]) {
      if (!this.sessions.isOpen(session)) socket.close(SESSION_ENDED, 'the session has ended');
    }
    this.#newest = null;
    if (this.#watchers.size === 0 || this.#isRendering) return;
    const asked = this.message();
    this.#isRendering = true;
    const failed = later((error: unknown) => {
      this.#isRendering = false;
      throw error;
    });
    void asked.then(
      later((message) => this.#send(JSON.stringify(message))),
      failed,
    );
  }

  #send(text: string): void {
    this.#isRendering = false;
    this.#newest = text;
    for (const socket of this.#watchers.keys()) {
      if (socket.waitingBytes <= WAITING_BYTES_MAX) socket.send(text);
    }
  }

  close(): void {
    for (const socket of [...this.#watchers.keys()]) socket.close(GOING_AWAY, 'the server stops');
  }
}
