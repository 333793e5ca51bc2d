/** Ed25519 signatures (RFC 8032) of statements, and the key's short name. Keys and signatures are in hex. */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKeys } from '../engine/model/proofs/signing.js';

const base64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');

export type KeyPair = Pick<SigningKeys, 'publicKey' | 'privateKey'>;

export function signerOf(pair: KeyPair): (text: string) => string {
  const key = privateKeyOf(pair);
  return (text) => sign(null, Buffer.from(text), key).toString('hex');
}

function privateKeyOf({ publicKey, privateKey }: KeyPair): KeyObject {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(publicKey), d: base64url(privateKey) };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

export type SignLater = (text: string, tell: (signature: string) => void) => void;

/** Signs on a thread of libuv's, so that this one goes on meanwhile. */
export function laterSignerOf(pair: KeyPair): SignLater {
  const key = privateKeyOf(pair);
  return (text, tell) =>
    sign(null, Buffer.from(text), key, (error, signature) => {
      if (error !== null) throw error;
      tell(signature.toString('hex'));
    });
}

export function statementSigner(keys: SigningKeys) {
  const sign = signerOf(keys);
  return (text: string) => ({ text, keyId: keys.keyId, signature: sign(text) });
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signature)) return false;
  return verify(null, Buffer.from(text), publicKeyOf(publicKey), Buffer.from(signature, 'hex'));
}

const publicKeyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: base64url(publicKey) }, format: 'jwk' });

/** The first 16 hex digits of the SHA-256 of the public key's bytes. */
export const keyIdOf = (publicKey: string): string =>
  hash('sha256', Buffer.from(publicKey, 'hex'), 'hex').slice(0, 16);
