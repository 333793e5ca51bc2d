/**
 * API key secrets: 256 random bits, shown once. Only the SHA-256 of a secret reaches the engine,
 * so neither journal nor snapshot can leak one. A look-up by digest tells a guesser nothing about how close the guess
 * was.
 */
import { hash, randomBytes } from 'node:crypto';

/** Lets secret scanners find keys, and sets keys apart from account ids. */
const PREFIX = 'tote_';
const RANDOM_BYTES = 32;
/** 32 bytes in base64url, without padding. */
const WELL_FORMED = /^tote_[A-Za-z0-9_-]{43}$/;

/** A new key secret: `tote_` and 43 characters of base64url. */
export const generateKeySecret = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');

/** Whether `secret` has the form of a key; anything else is refused without a look-up. */
export const isWellFormedKey = (secret: string): boolean => WELL_FORMED.test(secret);

/** The text with every key in it masked: clients put keys where they do not belong. */
export const maskKeys = (text: string): string => text.replaceAll(/tote_[A-Za-z0-9_-]{43}/g, 'tote_[secret]');

/** The same for the operator port, whose tokens are 43 characters of base64url, with or without a prefix. */
export const maskTokens = (text: string): string =>
  text.replaceAll(/(tote(?:op)?_)?[A-Za-z0-9_-]{43}/g, '$1[secret]');

/** The digest that the engine stores for a key: SHA-256 of the secret, 64 hex digits (`EngineReads.findKey`). */
export const keyDigest = (secret: string): string => hash('sha256', secret, 'hex');
