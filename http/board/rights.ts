/**
 * Keys by the digest of their secret, and the rights of keys and accounts, in memory that all threads read. Only the
 * engine's thread writes, in the order of the events. An answer of the operator API is sent after its event, so every
 * gateway already shows its effect.
 *
 * The memory has a fixed size, because typed arrays over growable memory are slow. Untouched pages cost nothing.
 */
import { assert, must } from '../../engine/base/assert.js';
import type { EngineReads } from '../../engine/engine.js';
import { KEYS_MAX } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { KeyView } from '../../engine/model/views.js';

const ACCOUNTS_MAX = 1 << 26;

const KEY_WORDS = 16;
const DIGEST_WORDS = 8;
/** Words of a key after its digest. The expiry is a double at an even word; Infinity if there is none. */
const ACCOUNT = 8;
const SCOPES = 9;
const ENABLED = 10;
const EXPIRY = 12;
/** Numbers of keys begin at 1: the first word of key 0 counts the changes of all. */
const VERSION = 0;
/** The next one is 1 while another machine may lead, and know more. */
const OUTRUN = 1;
/** Open addressing, at most half full. */
const PLACES = KEYS_MAX * 2;
/** An account's byte is its tier, with this bit set if it is frozen. */
const FROZEN = 0x80;

export type RightsMemory = ReturnType<typeof rightsMemory>;
export const rightsMemory = () => ({
  keys: new SharedArrayBuffer((KEYS_MAX + 1) * KEY_WORDS * Int32Array.BYTES_PER_ELEMENT),
  places: new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT),
  accounts: new SharedArrayBuffer(ACCOUNTS_MAX + 1),
});

/** `digest` is the SHA-256 of a secret, 64 hex digits. All threads of this machine have the same order of bytes. */
export function digestWords(digest: string): Int32Array {
  const words = new Int32Array(DIGEST_WORDS);
  Buffer.from(words.buffer).write(digest, 'hex');
  return words;
}

class RightsTables {
  protected readonly words: Int32Array;
  protected readonly doubles: Float64Array;
  protected readonly places: Int32Array;
  protected readonly accounts: Uint8Array;

  constructor({ keys, places, accounts }: RightsMemory) {
    this.words = new Int32Array(keys);
    this.doubles = new Float64Array(keys);
    this.places = new Int32Array(places);
    this.accounts = new Uint8Array(accounts);
  }

  /** The place of the digest's key, or the free one where it would be inserted. */
  protected placeOf(digest: Int32Array): number {
    let place = (digest[0] as number) & (PLACES - 1);
    for (;;) {
      const key = Atomics.load(this.places, place);
      if (key === 0 || this.#hasDigest(key, digest)) return place;
      place = (place + 1) & (PLACES - 1);
    }
  }

  #hasDigest(key: number, digest: Int32Array): boolean {
    const start = key * KEY_WORDS;
    for (let word = 0; word < DIGEST_WORDS; word++) {
      if (this.words[start + word] !== digest[word]) return false;
    }
    return true;
  }
}

export class Rights extends RightsTables {
  /** Changes when a key is made or changed. */
  get version(): number {
    return Atomics.load(this.words, VERSION);
  }

  get isOutrun(): boolean {
    return Atomics.load(this.words, OUTRUN) === 1;
  }

  /** 0 if no key has this digest. */
  find(digest: Int32Array): number {
    return Atomics.load(this.places, this.placeOf(digest));
  }

  account(key: number): number {
    return this.words[key * KEY_WORDS + ACCOUNT] as number;
  }
  scopesMask(key: number): number {
    return this.words[key * KEY_WORDS + SCOPES] as number;
  }
  isEnabled(key: number): boolean {
    return Atomics.load(this.words, key * KEY_WORDS + ENABLED) === 1;
  }
  /** Milliseconds since 1970; Infinity for a key that does not expire. */
  expiresAtMs(key: number): number {
    return this.doubles[(key * KEY_WORDS + EXPIRY) / 2] as number;
  }
  tier(account: number): number {
    return Atomics.load(this.accounts, account) & ~FROZEN;
  }
  isFrozen(account: number): boolean {
    return (Atomics.load(this.accounts, account) & FROZEN) !== 0;
  }
}

export class RightsWriter extends RightsTables {
  #accounts = 0;
  #keys = 0;

  /**
   * The engine's state must be durable; from then on `onEvents` keeps the tables up to date. They may hold an earlier
   * state of this engine, which is overwritten where it has changed.
   */
  constructor(
    memory: RightsMemory,
    private readonly engine: EngineReads,
  ) {
    super(memory);
    this.addNew();
  }

  setOutrun(isOutrun: boolean): void {
    Atomics.store(this.words, OUTRUN, isOutrun ? 1 : 0);
  }

  /** Writes the accounts and keys that the engine has got since the last time. */
  addNew(): void {
    const { accountCount, keyCount } = this.engine;
    while (this.#accounts < accountCount) this.#setAccount(++this.#accounts);
    while (this.#keys < keyCount) this.#setKey(this.engine.key(++this.#keys));
  }

  onEvents(events: readonly EngineEvent[]): void {
    for (const event of events) {
      if (event.type === 'keyCreated' || event.type === 'keyUpdated')
        this.#setKey(this.engine.key(event.key));
      else if (event.type === 'accountCreated' || event.type === 'accountUpdated')
        this.#setAccount(event.account);
    }
  }

  #setAccount(account: number): void {
    assert(account <= ACCOUNTS_MAX, `account ${account} has a place`);
    const { tier, frozen } = must(this.engine.account(account), 'an account that was created');
    Atomics.store(this.accounts, account, tier | (frozen ? FROZEN : 0));
  }

  #setKey({ key, account, scopesMask, enabled, expiresAtMs }: KeyView): void {
    assert(key <= KEYS_MAX, `key ${key} has a place`);
    const at = key * KEY_WORDS;
    this.doubles[(at + EXPIRY) / 2] = expiresAtMs ?? Number.POSITIVE_INFINITY;
    Atomics.store(this.words, at + ENABLED, enabled ? 1 : 0);
    Atomics.add(this.words, VERSION, 1);
    if (this.words[at + ACCOUNT] !== 0) return;
    // Constant fields are written before the key can be found.
    const digest = digestWords(this.engine.keyDigest(key));
    this.words.set(digest, at);
    this.words[at + ACCOUNT] = account;
    this.words[at + SCOPES] = scopesMask;
    Atomics.store(this.places, this.placeOf(digest), key);
  }
}
