/** The trace to which a client says that a request belongs (W3C Trace Context, section 3.2: the header `traceparent`). */

export interface TraceContext {
  /** 32 and 16 hex digits: of the whole trace, and of the client's own part of it. */
  readonly traceId: string;
  readonly spanId: string;
}

/** Version, trace, parent and flags. A later version than 00 may have more behind another hyphen, which is left out. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
/** Far more than any version needs. */
const CHARS_MAX = 512;

/** null if the header is absent or not valid: a broken one is treated as none, whatever it holds. */
export function traceContextOf(traceparent: string): TraceContext | null {
  if (traceparent.length > CHARS_MAX) return null;
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return version === '00' && more !== undefined ? null : { traceId, spanId };
}
