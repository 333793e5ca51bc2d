/**
 * Logs every request at debug level; at other levels requests go straight to their handler. Headers, bodies and
 * queries are left out and keys in a path are masked, so the log never contains a key. Of the headers a valid `traceparent`
 * gives the ids of its trace.
 */

import { maskKeys, maskTokens } from '../../crypto/api-keys.js';
import type { Clock, HeaderBlock, HeaderList, HttpHandler } from '../../engine/model/ports.js';
import type { Log } from '../../process/log/log.js';
import { traceContextOf } from './trace-context.js';

export type PortName = 'public' | 'operator';

/** Wraps `handler` to log each answer, if `log` writes debug lines. */
export function logRequests(handler: HttpHandler, port: PortName, clock: Clock, log: Log): HttpHandler {
  if (!log.isDebug) return handler;
  const mask = port === 'operator' ? maskTokens : maskKeys;
  return (request, responder) => {
    const { method, address } = request;
    const path = mask(request.path);
    const trace = traceContextOf(request.traceparent ?? '');
    const startedMs = clock.monotonicMs();
    handler(request, {
      send(status, headers, body) {
        responder.send(status, headers, body);
        const tookMs = Math.round((clock.monotonicMs() - startedMs) * 1_000) / 1_000;
        log.write('request', {
          requestId: requestIdIn(headers),
          port,
          method,
          path,
          address,
          status,
          tookMs,
          ...trace,
        });
      },
    });
  };
}

function requestIdIn(headers: HeaderList | HeaderBlock): string | undefined {
  if (typeof headers === 'string') return /^X-Request-Id: (.*)$/m.exec(headers)?.[1]?.trim();
  return headers[headers.indexOf('X-Request-Id') + 1];
}
