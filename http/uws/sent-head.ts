/**
 * A request's headers as they were sent. uWebSockets.js takes bytes outside ASCII for blanks and drops them at either
 * end of a value (its `char` has a sign): `btc-<rocket>` and `btc-<moon>` came to be one Idempotency-Key, and a length
 * that a proxy could not read came to be a length. Here the bytes are read where they arrived (`receive-buffer.ts`).
 *
 * Only a head that arrived in one piece can be read, as all do but those that are longer than a packet or sent in
 * parts on purpose. Of the others the values are taken as the library tells them.
 */

const HEAD_END = '\r\n\r\n';
const BLANKS_AROUND = /^[ \t]+|[ \t]+$/g;

/** Name in lower case and value, in turn, in the order of the request. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/**
 * The headers that `received` begins with, if it begins with this request: with its request line, and with headers
 * of the same names whose values hold what the library `told` of them. Otherwise null.
 */
export function sentHeaders(
  received: Uint8Array,
  requestLine: string,
  told: HeaderPairs,
): HeaderPairs | null {
  const bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
  const headBytes = bytes.indexOf(HEAD_END);
  if (headBytes < 0) return null;
  const [first, ...lines] = bytes.toString('utf8', 0, headBytes).split('\r\n');
  if (first !== requestLine || lines.length !== told.length) return null;
  const sent = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).replace(BLANKS_AROUND, '')];
  });
  const isSame = sent.every(([name, value], index) => {
    const [toldName, toldValue] = told[index] as readonly [string, string];
    return name === toldName && value.includes(toldValue);
  });
  return isSame ? sent : null;
}
