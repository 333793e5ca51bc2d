/** A WebSocket connection to a price service that is only listened to, once the greetings have told it what to send. */
import { askedMsOf, troubleOf } from './http-text.js';
import type { Ended, Listener } from './kept-connection.js';

const MESSAGE_BYTES_MAX = 1_000_000;

interface SocketOptions {
  readonly url: URL;
  readonly greetings: readonly string[];
  /** Returns whether anything in the message was new. */
  readonly onText: (text: string) => boolean;
}

/** Loads the library, which is large, where a feed uses it. */
export async function readSocket(
  { url, greetings, onText }: SocketOptions,
  listener: Listener,
  signal: AbortSignal,
): Promise<Ended> {
  const { WebSocket } = await import('ws');
  return new Promise((resolve) => {
    // Redirections are not followed: the service named in the configuration is the one that prices markets.
    const socket = new WebSocket(url, { maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false });
    let trouble = '';
    signal.addEventListener('abort', () => socket.terminate(), { once: true });
    if (signal.aborted) socket.terminate();
    socket.on('open', () => {
      for (const greeting of greetings) socket.send(greeting);
      listener.opened();
    });
    socket.on('message', (data) => {
      if (onText(String(data))) listener.heard();
    });
    socket.on('unexpected-response', (request, answer) => {
      const status = answer.statusCode ?? 0;
      request.destroy();
      const askedMs = askedMsOf(status, (name) => answer.headers[name]?.toString());
      resolve({ reason: `the service answered ${status}`, askedMs });
    });
    socket.on('error', (error) => {
      trouble = troubleOf(error);
    });
    socket.on('close', (code) => {
      const reason = trouble === '' ? `the service closed the connection (code ${code})` : trouble;
      resolve({ reason, askedMs: 0 });
    });
  });
}
