/** Signs statements with Ed25519, for the gateways. */
import { createPrivateKey, sign } from 'node:crypto';
import type { SigningKeys } from '../engine/model/proofs/signing.js';

export interface Signed {
  readonly text: string;
  readonly keyId: string;
  /** 128 hex digits. */
  readonly signature: string;
}

const base64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');

/** A function that signs a text with the key in use. */
export function signerOf({ keyId, publicKey, privateKey }: SigningKeys): (text: string) => Signed {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(publicKey), d: base64url(privateKey) };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return (text) => ({ text, keyId, signature: sign(null, Buffer.from(text), key).toString('hex') });
}
