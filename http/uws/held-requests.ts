/** A port is taken before the server is ready, so its requests are held until the real handler is there. */
import type { HttpHandler } from '../../engine/model/ports.js';

export class HeldRequests {
  #handler: HttpHandler | null = null;
  readonly #held: Parameters<HttpHandler>[] = [];

  readonly handler: HttpHandler = (request, responder) => {
    // A body does not outlive the handler's call.
    if (this.#handler === null) this.#held.push([{ ...request, body: request.body.slice() }, responder]);
    else this.#handler(request, responder);
  };

  serve(handler: HttpHandler): void {
    this.#handler = handler;
    for (const [request, responder] of this.#held.splice(0)) handler(request, responder);
  }
}
