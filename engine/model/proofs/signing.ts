/** Keys with which the server signs (Ed25519). */

export interface PublicSigningKey {
  /** The first 16 hex digits of the SHA-256 of the public key's 32 bytes. */
  readonly keyId: string;
  /** 64 hex digits, as RFC 8032 writes a public key. */
  readonly publicKey: string;
  readonly createdAtMs: number;
  /** When another key took its place; null for the one in use. */
  readonly retiredAtMs: number | null;
}

/** A public key as a checker of signatures has noted it. */
export type NotedKey = Pick<PublicSigningKey, 'keyId' | 'publicKey'>;

/** The key in use, and all there ever were, the newest first. */
export interface SigningKeys {
  readonly keyId: string;
  readonly publicKey: string;
  /** RFC 8032's private key, 64 hex digits. */
  readonly privateKey: string;
  readonly all: readonly PublicSigningKey[];
}
