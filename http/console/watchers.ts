/**
 * The console's stream: pages that watch, and their message each second. It is asked for and rendered once for all of
 * them, and not at all while nobody watches. While the engine's thread does not answer, no further question is put to
 * it.
 */
import type { HttpRequest, StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { Session } from './sessions.js';

/** The console's own close code of a WebSocket: the session has ended, and the page asks for a login. */
export const SESSION_ENDED = 4401;
export const WATCHERS_MAX = 50;
/** A page that has not read so much is behind by some messages, and gets the next one it has room for. */
const WAITING_BYTES_MAX = 64 * 1024;
/** The server stops (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

const UPGRADE_REQUIRED = new Refused('upgrade_required', 'the stream is a WebSocket', [
  'Upgrade',
  'websocket',
]);
const TOO_MANY = new Refused('too_many_streams', `at most ${WATCHERS_MAX} pages watch at a time`, [
  'Retry-After',
  '10',
]);

export interface WatchersOptions {
  /** Calls `send` with the message once it is ready; with null where there can be none. */
  readonly render: (send: (text: string | null) => void) => void;
  readonly isOpen: (session: Session) => boolean;
}

class Watcher implements StreamOwner {
  constructor(
    readonly socket: StreamSocket,
    readonly session: Session,
    private readonly host: Watchers,
  ) {}

  onOpen(): void {
    this.host.begin(this);
  }

  /** Pages say nothing. */
  onMessage(): void {
    this.socket.close(POLICY_VIOLATION, 'nothing is expected from a page');
  }

  onPong(): void {}

  onRoom(): void {}

  onFault(): void {
    this.socket.close(INTERNAL_ERROR, 'internal_error');
  }

  onClosed(): void {
    this.host.end(this);
  }
}

export class Watchers {
  readonly #watchers = new Set<Watcher>();
  #isRendering = false;
  /** null if the last second has no message. */
  #newest: string | null = null;

  constructor(private readonly options: WatchersOptions) {}

  /** Opens the stream in place of an answer, or returns a refusal. */
  open(request: HttpRequest, session: Session): Refused | null {
    const { upgrade } = request;
    if (upgrade === undefined) return UPGRADE_REQUIRED;
    if (this.#watchers.size >= WATCHERS_MAX) return TOO_MANY;
    upgrade.accept('', (socket) => new Watcher(socket, session, this));
    return null;
  }

  begin(watcher: Watcher): void {
    this.#watchers.add(watcher);
    if (this.#newest === null) this.tick();
    else watcher.socket.send(this.#newest);
  }

  end(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  tick(): void {
    for (const { socket, session } of [...this.#watchers]) {
      if (!this.options.isOpen(session)) socket.close(SESSION_ENDED, 'the session has ended');
    }
    this.#newest = null;
    if (this.#watchers.size === 0 || this.#isRendering) return;
    this.#isRendering = true;
    try {
      this.options.render((text) => this.#onRendered(text));
    } catch (error) {
      this.#isRendering = false;
      throw error;
    }
  }

  #onRendered(text: string | null): void {
    this.#isRendering = false;
    this.#newest = text;
    if (text === null) return;
    for (const { socket } of this.#watchers) {
      if (socket.waitingBytes <= WAITING_BYTES_MAX) socket.send(text);
    }
  }

  close(): void {
    for (const { socket } of [...this.#watchers]) socket.close(GOING_AWAY, 'the server stops');
  }
}
