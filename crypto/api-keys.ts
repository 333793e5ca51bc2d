/**
 * API key secrets: 256 random bits, shown once. Only the SHA-256 of a secret reaches the engine, so neither journal nor
 * snapshot can leak one. A look-up by digest does not tell a guesser how close the guess was.
 */
import { hash, randomBytes } from 'node:crypto';

/** Lets secret scanners find keys, and sets keys apart from account ids. */
const PREFIX = 'tote_';
const RANDOM_BYTES = 32;
const WELL_FORMED = /^tote_[A-Za-z0-9_-]{43}$/;

export const generateKeySecret = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** Any other text is refused without a look-up. */
export const isWellFormedKey = (secret: string): boolean => WELL_FORMED.test(secret);

/** Clients put keys and tokens where they do not belong: 43 characters of base64url, with or without a prefix. */
export const maskSecrets = (text: string): string =>
  text.replaceAll(/(tote(?:op)?_)?[A-Za-z0-9_-]{43}/g, '$1[secret]');

/** The digest that the engine stores for a key (`EngineReads.keyDigest`), 64 hex digits. */
export const keyDigest = (secret: string): string => hash('sha256', secret, 'hex');
