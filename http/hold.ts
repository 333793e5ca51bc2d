/**
 * Holds requests back from the moment of listening until the server is ready. Ports are taken before the first
 * start writes anything, so that a port in use leaves a data directory that is still new.
 */
import type { HttpHandler } from '../engine/ports.js';

export class Hold {
  #handler: HttpHandler | null = null;
  readonly #held: Parameters<HttpHandler>[] = [];

  readonly handle: HttpHandler = (request, responder) => {
    if (this.#handler === null) this.#held.push([request, responder]);
    else this.#handler(request, responder);
  };

  /** Hands over what came meanwhile, and everything from now on. */
  release(handler: HttpHandler): void {
    this.#handler = handler;
    for (const [request, responder] of this.#held.splice(0)) handler(request, responder);
  }
}
