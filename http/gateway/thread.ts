/** A thread that serves a port, as the engine's thread sees it. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { type FromGateway, type ToGateway, WAKE } from './messages.js';

type Said<K> = Extract<FromGateway, { readonly kind: K }>;
type Kind = Exclude<FromGateway, typeof WAKE>['kind'];

export class GatewayThread {
  readonly #worker: Worker;
  readonly #handlers = new Map<Kind, (message: FromGateway) => void>();

  /** `role` is what the thread will serve: tools that list threads find it in its arguments. */
  constructor(
    role: 'public' | 'operator',
    private readonly onWake: () => void,
    private readonly onFatal: (error: unknown) => void,
  ) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { argv: [role] });
    this.#worker.on('message', (message: FromGateway) => this.#onMessage(message));
    this.#worker.on('error', (error) => onFatal(error));
  }

  post(message: ToGateway, transferred: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  /** `handle` gets every message of this kind. */
  on<K extends Kind>(kind: K, handle: (message: Said<K>) => void): void {
    this.#handlers.set(kind, (message) => handle(message as Said<K>));
  }

  /** Resolves with the next message of one of these kinds. */
  next<K extends Kind>(...kinds: K[]): Promise<Said<K>> {
    return new Promise((resolve) => {
      for (const kind of kinds) this.on(kind, resolve);
    });
  }

  #onMessage(message: FromGateway): void {
    if (message === WAKE) this.onWake();
    else if (message.kind === 'failed') this.onFatal(message.error);
    else this.#handlers.get(message.kind)?.(message);
  }
}
