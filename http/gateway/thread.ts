/** The place of a gateway, as the engine's thread sees it: in a thread of its own, or here, on the engine's. */
import type { MessagePort, Worker } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import type { Link } from '../link/link.js';
import { loadDocs } from '../pages/docs-page.js';
import { Gateway } from './gateway.js';
import { type FromGateway, type Post, type ToGateway, WAKE } from './messages.js';
import { ThreadEnd, tellFailed } from './thread-end.js';

type Said<K> = Extract<FromGateway, { readonly kind: K }>;
type Kind = Exclude<FromGateway, typeof WAKE>['kind'];

export abstract class GatewayPlace {
  readonly #handlers = new Map<Kind, (message: FromGateway) => void>();

  constructor(
    private readonly onWake: () => void,
    protected readonly onFatal: (error: unknown) => void,
  ) {}

  abstract post(message: ToGateway, transferred?: readonly MessagePort[]): void;

  /** There are new events for its streams. */
  abstract tellNews(): void;

  on<K extends Kind>(kind: K, handle: (message: Said<K>) => void): void {
    this.#handlers.set(kind, (message) => handle(message as Said<K>));
  }

  next<K extends Kind>(...kinds: K[]): Promise<Said<K>> {
    return new Promise((resolve) => {
      for (const kind of kinds) this.on(kind, resolve);
    });
  }

  protected readonly receive: Post = (message) => {
    if (message === WAKE) this.onWake();
    else if (message.kind === 'failed') this.onFatal(message.error);
    else this.#handlers.get(message.kind)?.(message);
  };
}

export class GatewayThread extends GatewayPlace {
  constructor(
    private readonly worker: Worker,
    ...on: ConstructorParameters<typeof GatewayPlace>
  ) {
    super(...on);
    worker.on('message', this.receive);
    worker.on('error', this.onFatal);
  }

  post(message: ToGateway, transferred: readonly MessagePort[] = []): void {
    this.worker.postMessage(message, transferred);
  }

  tellNews(): void {
    this.post(WAKE);
  }
}

/** The public gateway on the engine's thread: its messages are calls. */
export class GatewayHere extends GatewayPlace {
  readonly #docs = loadDocs();
  #gateway: Gateway | null = null;
  #hasNews = false;

  constructor(
    private readonly link: Link,
    ...on: ConstructorParameters<typeof GatewayPlace>
  ) {
    super(...on);
  }

  post(message: ToGateway): void {
    try {
      if (message === WAKE || message.kind !== 'open') must(this.#gateway, 'an open gateway').take(message);
      else if (message.setup.role === 'public') {
        const end = new ThreadEnd(message.setup.ended, () => undefined);
        this.#gateway = new Gateway(message.setup, this.#docs, this.link, this.receive, end);
      }
    } catch (error) {
      tellFailed(this.receive, error);
    }
  }

  /** Once a turn, and behind the answers of the same batch. */
  tellNews(): void {
    if (this.#hasNews) return;
    this.#hasNews = true;
    setImmediate(() => {
      this.#hasNews = false;
      this.post(WAKE);
    });
  }
}
