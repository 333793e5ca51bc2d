/**
 * Logs every request at debug level; at other levels requests go straight to their handler. The log never contains a
 * key: headers, bodies and queries are left out and keys in a path are masked. A valid `traceparent` gives the ids of
 * its trace.
 */
import { maskSecrets } from '../../crypto/api-keys.js';
import type { HeadBytes, HeaderBlock, HeaderList, HttpHandler } from '../../engine/model/ports.js';
import { systemClock } from '../../process/clock.js';
import type { Log } from '../../process/log/log.js';

export function logRequests(handler: HttpHandler, port: 'public' | 'operator', log: Log): HttpHandler {
  if (!log.isDebug) return handler;
  return (request, responder) => {
    const { method, address } = request;
    const path = maskSecrets(request.path);
    const trace = traceContextOf(request.traceparent ?? '');
    const startedMs = systemClock.monotonicMs();
    handler(request, {
      send(status, headers, body) {
        responder.send(status, headers, body);
        const tookMs = Math.round((systemClock.monotonicMs() - startedMs) * 1_000) / 1_000;
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

function requestIdIn(headers: HeaderList | HeaderBlock | HeadBytes): string | undefined {
  const text = headers instanceof Uint8Array ? Buffer.from(headers).toString('latin1') : headers;
  if (typeof text === 'string') return /^X-Request-Id: (.*)$/m.exec(text)?.[1]?.trim();
  return text[text.indexOf('X-Request-Id') + 1];
}

/** Version, trace, parent and flags. A later version than 00 may have more behind another hyphen, which is left out. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const CHARS_MAX = 512;

/** 32 hex digits of the trace, and 16 of the client's own part of it; null if the header is absent or broken. */
export function traceContextOf(traceparent: string) {
  if (traceparent.length > CHARS_MAX) return null;
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return version === '00' && more !== undefined ? null : { traceId, spanId };
}
