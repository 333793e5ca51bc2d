/** Files with answers of the API, as they were saved. A missing or wrong part is named. */
import type { JournalHead, SigningKey } from '../../../client/base/types.js';
import { isJournalHead } from '../../../client/proofs/sense.js';
import { keyIdOf } from '../../../crypto/signing.js';
import { orRefuse } from '../../../engine/base/attempt.js';
import type { NotedKey } from '../../../engine/model/proofs/signing.js';
import { readNamedFile } from '../../data-dir/files.js';
import { UsageError } from '../frame/exit-codes.js';

/** Returns the answer's `data`, with `members`, objects or lists. Throws `UsageError`, and `file_unreadable`. */
export function readAnswer<T>(path: string, endpoint: string, members: readonly (keyof T & string)[]): T {
  const { data } = readJson(path);
  const isAnswer =
    isFields(data) && members.every((name) => typeof data[name] === 'object' && data[name] !== null);
  if (!isAnswer) throw new UsageError(`${path} must be an answer of ${endpoint}.`);
  return data as T;
}

/** An answer of `GET /keys`. Throws as `readAnswer` does. */
export function readNotedKeys(path: string): readonly SigningKey[] {
  const { data: keys } = readJson(path);
  if (Array.isArray(keys) && keys.every(isKey)) return keys;
  throw new UsageError(`${path} must be an answer of GET /keys.`);
}

/** `head` beside `data` of such an answer, or of a heartbeat of the stream. Throws as `readAnswer` does. */
export function readHead(path: string): JournalHead {
  const { head } = readJson(path);
  if (isJournalHead(head)) return head;
  throw new UsageError(
    `${path} must have a signed head of the journal as "head", as an answer of GET /keys.`,
  );
}

/** Each id must be that of its key. */
export function readTrustedKeys(path: string): readonly NotedKey[] {
  const keys = readNotedKeys(path);
  for (const { keyId, publicKey } of keys) {
    if (!/^[0-9a-f]{64}$/.test(publicKey) || keyIdOf(publicKey) !== keyId)
      throw new UsageError(`${path}: ${JSON.stringify(keyId)} is not the id of its publicKey.`);
  }
  return keys;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKey = (key: unknown): key is SigningKey =>
  isFields(key) && typeof key['keyId'] === 'string' && typeof key['publicKey'] === 'string';

function readJson(path: string): Fields {
  const text = readNamedFile(path);
  const value: unknown = orRefuse(
    () => JSON.parse(text),
    (reason) => new UsageError(`${path} is not JSON: ${reason}`),
  );
  if (isFields(value)) return value;
  throw new UsageError(`${path} does not hold a JSON object`);
}
