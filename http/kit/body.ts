/** Request bodies: uncompressed JSON in UTF-8. A compressed body could expand to any amount of memory. */
import { isUtf8 } from 'node:buffer';
import type { IValidation } from 'typia';
import { describeTypeErrors } from '../../config/type-errors.js';
import type { HttpRequest } from '../../engine/model/ports.js';
import { Refused, refuseInvalid } from './refused.js';
import { repeatedField } from './repeated-field.js';

const NOT_JSON = new Refused('unsupported_media_type', 'the Content-Type must be application/json');
const ENCODED = new Refused(
  'unsupported_media_type',
  'a body with a Content-Encoding other than identity is not read; send it uncompressed',
);

const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?$/i;
const DETAIL_LENGTH_MAX = 300;
const BYTE_ORDER_MARK = '\ufeff';
const BEGINS_WITH_MARK = ': it begins with a byte order mark (BOM)';
const REPLACEMENT_CHARACTER = '\ufffd';

/** The only parameter allowed is `charset=utf-8`. */
export const isJsonType = (contentType: string): boolean =>
  contentType === 'application/json' || JSON_TYPE.test(contentType);

const isEncoded = (contentEncoding: string): boolean =>
  contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity';

export function refuseBodyType({ contentType, contentEncoding }: HttpRequest): void {
  if (!isJsonType(contentType)) throw NOT_JSON;
  if (isEncoded(contentEncoding)) throw ENCODED;
}

/** The caller checks the type. */
export function parseJson(bytes: Uint8Array): unknown {
  const { value, repeated } = readJson(bytes, 'the body');
  return repeated === null ? value : refuseRepeated(repeated);
}

export const refuseRepeated = (field: string): never => refuseInvalid(`${field} must be there only once`);

/** `repeated` is a field that stands twice, or null. `subject` is what a refusal speaks of. */
export function readJson(bytes: Uint8Array, subject: string): { value: unknown; repeated: string | null } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // Decoding inserts this character for invalid bytes, so only then must the bytes be checked.
  if (text.includes(REPLACEMENT_CHARACTER) && !isUtf8(buffer)) refuseInvalid(`${subject} is not valid UTF-8`);
  const value = jsonIn(text, subject);
  return { value, repeated: repeatedField(text, value) };
}

function jsonIn(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Editors and some libraries add one, and it is invisible.
    const why = text.startsWith(BYTE_ORDER_MARK) ? BEGINS_WITH_MARK : '';
    return refuseInvalid(`${subject} is not valid JSON${why}`);
  }
}

/** Clients read what is wrong with an order or a message; a text of theirs may be long. */
export function refuseForm(errors: readonly IValidation.IError[]): never {
  const detail = describeTypeErrors(errors).join('; ');
  return refuseInvalid(
    detail.length > DETAIL_LENGTH_MAX ? `${detail.slice(0, DETAIL_LENGTH_MAX)}...` : detail,
  );
}

/** Unknown fields are refused: a misspelt one would do something other than intended. */
export function readBody<T extends object>(
  request: HttpRequest,
  validate: (input: unknown) => IValidation<T>,
): T {
  refuseBodyType(request);
  const value = parseJson(request.body);
  const checked = validate(value);
  if (!checked.success) return refuseInvalid(describeTypeErrors(checked.errors).join('; '));
  refuseIllFormed(value);
  return checked.data;
}

export function refuseIllFormed(value: unknown): void {
  const field = illFormedField(value, '');
  if (field !== null) refuseInvalid(`${field} must be valid Unicode: it has half a surrogate pair`);
}

/** null if every text is well-formed. */
function illFormedField(value: unknown, path: string): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const found = illFormedField(item, path === '' ? name : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}
