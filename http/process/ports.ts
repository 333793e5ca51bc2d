/**
 * The two ports. They are opened before anything is written, so a first start that is refused because of a port
 * leaves the data directory new. They are served once the server is ready; requests that arrive in between are held.
 */
import type { Clock, HttpHandler } from '../../engine/model/ports.js';
import { connectionLimits, descriptorsMax, limitsNote } from '../uws/connection-limits.js';
import { receiveBuffer } from '../uws/receive-buffer.js';
import { UwsTransport } from '../uws/transport.js';
import { urlOf } from './banner.js';
import { type Config, ConfigError } from './config.js';

const UNSEEN =
  'the HTTP library does not show what it receives: bytes outside ASCII at the ends of header values are dropped, not refused';

export interface OpenPorts {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** Warnings for the operator. */
  readonly notes: readonly string[];
  /** Passes on the held requests, and all that follow. */
  serve(publicApi: HttpHandler, operatorApi: HttpHandler): void;
  /** Accepts no new connections; resolves once all pending requests are answered. */
  close(): Promise<void>;
}

/** Throws a `ConfigError` that names the variable if an address cannot be listened on. */
export async function openPorts(
  config: Config,
  clock: Clock,
  onFatal: (error: unknown) => void,
): Promise<OpenPorts> {
  const { host, port, operatorHost, operatorPort } = config;
  const descriptors = descriptorsMax();
  const { publicMax, operatorMax } = connectionLimits(descriptors);
  const { trustedProxies } = config;
  const publicPort = new Port(
    new UwsTransport({ clock, trustedProxies, onFatal, connectionsMax: publicMax }),
  );
  const publicUrl = await publicPort.open('TOTE_PORT', host, port);
  const forOperators = new Port(
    new UwsTransport({ clock, trustedProxies: [], onFatal, connectionsMax: operatorMax }),
  );
  const operatorUrl = await forOperators.open('TOTE_OPERATOR_PORT', operatorHost, operatorPort);
  return {
    publicUrl,
    operatorUrl,
    notes: [limitsNote(descriptors), (await receiveBuffer()) === null ? UNSEEN : null].filter(
      (note) => note !== null,
    ),
    serve(publicApi, operatorApi) {
      publicPort.serve(publicApi);
      forOperators.serve(operatorApi);
    },
    async close() {
      await Promise.all([publicPort.transport.close(), forOperators.transport.close()]);
    },
  };
}

class Port {
  #handler: HttpHandler | null = null;
  readonly #held: Parameters<HttpHandler>[] = [];

  constructor(readonly transport: UwsTransport) {}

  /** Resolves with the URL for a client on this machine. */
  async open(variable: string, host: string, port: number): Promise<string> {
    const handle: HttpHandler = (request, responder) => {
      // The transport frees a body when the handler returns.
      if (this.#handler === null) this.#held.push([{ ...request, body: request.body.slice() }, responder]);
      else this.#handler(request, responder);
    };
    try {
      return urlOf(host, await this.transport.listen(host, port, handle));
    } catch (error) {
      throw new ConfigError([`${variable}: ${error instanceof Error ? error.message : error}`]);
    }
  }

  serve(handler: HttpHandler): void {
    this.#handler = handler;
    for (const [request, responder] of this.#held.splice(0)) handler(request, responder);
  }
}
