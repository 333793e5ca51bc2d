/** API keys. The engine stores the SHA-256 of a key's secret, never the secret. */
import { assert, must } from '../base/assert.js';
import type { KeyView } from '../model/views.js';

type NewKey = Omit<KeyView, 'key' | 'enabled' | 'deadmanSeconds'> & { readonly digest: string };
type KeyRecord = { -readonly [field in keyof KeyView]: KeyView[field] };

export class KeyTable {
  readonly #keys: KeyRecord[] = [];
  /** In the order of the keys. */
  readonly #digests: string[] = [];
  readonly #taken = new Set<string>();
  readonly #byAccount = new Map<number, number[]>();

  get count(): number {
    return this.#keys.length;
  }
  has(key: number): boolean {
    return this.#keys[key - 1] !== undefined;
  }
  view(key: number): KeyView {
    return must(this.#keys[key - 1], 'key');
  }
  digest(key: number): string {
    return must(this.#digests[key - 1], 'key');
  }
  ofAccount(account: number): readonly KeyView[] {
    return (this.#byAccount.get(account) ?? []).map((key) => this.view(key));
  }

  activeCount(account: number, nowMs: number): number {
    return this.ofAccount(account).filter((key) => isActive(key, nowMs)).length;
  }

  add({ account, digest, scopesMask, expiresAtMs, createdAtMs }: NewKey): number {
    assert(!this.#taken.has(digest), 'a key with this digest exists');
    const key = this.#keys.length + 1;
    // No spread: it would give every record a hidden class of its own, and every read would miss the inline cache.
    this.#keys.push({ key, account, scopesMask, enabled: true, expiresAtMs, createdAtMs, deadmanSeconds: 0 });
    this.#digests.push(digest);
    this.#taken.add(digest);
    const ofAccount = this.#byAccount.get(account);
    if (ofAccount === undefined) this.#byAccount.set(account, [key]);
    else ofAccount.push(key);
    return key;
  }

  /** Sets some of the key's fields. */
  change(key: number, fields: Partial<Pick<KeyRecord, 'enabled' | 'expiresAtMs' | 'deadmanSeconds'>>): void {
    Object.assign(must(this.#keys[key - 1], 'key'), fields);
  }
}

/** Only active keys count towards an account's key limit. */
export function isActive(key: KeyView, nowMs: number): boolean {
  return key.enabled && (key.expiresAtMs === null || nowMs < key.expiresAtMs);
}
