import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { type Answered, type HeaderFields, parseEnvelope } from './client.js';

interface HttpsTarget {
  readonly port: number;
  readonly ca: string | readonly string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  /** Keeps connections; if absent each request has one of its own. */
  readonly agent?: Agent;
}

export interface HttpsRequest {
  /** The client's own address, such as 127.0.0.2. */
  readonly from?: string;
  readonly headers?: HeaderFields;
  readonly body?: string;
}

export interface HttpsAnswered extends Answered {
  /** The common name of the server's certificate; '' if the session was resumed. */
  readonly server: string;
}

/** Rejects if the connection fails. `target` with the base path. */
export async function httpsSend(
  to: HttpsTarget,
  method: string,
  target: string,
  { from = '127.0.0.1', headers = {}, body }: HttpsRequest = {},
): Promise<HttpsAnswered> {
  const { ca, agent = false, servername = 'localhost', ...rest } = to;
  const sent = request({
    ...rest,
    ca: [...(typeof ca === 'string' ? [ca] : ca)],
    host: '127.0.0.1',
    localAddress: from,
    servername,
    agent,
    method,
    path: target,
    headers: { Host: servername, ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // A resumed session shows none.
  const { subject } = (response.socket as TLSSocket).getPeerCertificate() as { subject?: { CN: string } };
  const server = subject?.CN ?? '';
  const received = await text(response);
  const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    `${value}`,
  ]);
  const status = response.statusCode ?? 0;
  return { status, headers: new Headers(fields), text: received, server, ...parseEnvelope(received) };
}
