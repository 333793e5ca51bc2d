/**
 * A request's headers exactly as they were sent. uWebSockets.js treats bytes outside ASCII as blanks, because its
 * `char` is signed, and trims them from both ends of a value: `btc-<rocket>` and `btc-<moon>` would be one
 * Idempotency-Key, and a length that a proxy cannot parse would be accepted. So the bytes are read from the receive
 * buffer (`receive-buffer.ts`).
 *
 * Only a head that arrived in a single read can be checked. That is every head, except one longer than a packet or
 * deliberately sent in parts; of those, the library's values are used.
 */

const HEAD_END = '\r\n\r\n';
const BLANKS_AROUND = /^[ \t]+|[ \t]+$/g;

/** Lower-case names with their values, in the order of the request. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/**
 * The headers at the start of `received`, if they are this request's: the same request line, and the same names with
 * values that contain those that the library `parsed`. Otherwise null.
 */
export function sentHeaders(
  received: Uint8Array,
  requestLine: string,
  parsed: HeaderPairs,
): HeaderPairs | null {
  const bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
  const headBytes = bytes.indexOf(HEAD_END);
  if (headBytes < 0) return null;
  const [first, ...lines] = bytes.toString('utf8', 0, headBytes).split('\r\n');
  if (first !== requestLine || lines.length !== parsed.length) return null;
  const sent = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).replace(BLANKS_AROUND, '')];
  });
  const isSame = sent.every(([name, value], index) => {
    const [parsedName, parsedValue] = parsed[index] as readonly [string, string];
    return name === parsedName && value.includes(parsedValue);
  });
  return isSame ? sent : null;
}
