/**
 * The certificate of a port, read from its files and checked before a thread takes it: a mistake is told in words that
 * name the file, where the TLS library says only that it failed.
 */
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { orRefuse } from '../engine/base/attempt.js';

/** PEM files: the certificate with its chain, its key, and the authorities of client certificates. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** If not null, one of these authorities must have signed each client's certificate. */
  readonly clientCaFile: string | null;
}

export type Certificate = Readonly<ReturnType<typeof readCertificate>>;

export class CertificateError extends Error {
  override readonly name = 'CertificateError';

  /** `culprit` is the file that is at fault. */
  constructor(
    message: string,
    readonly culprit: keyof TlsFiles,
  ) {
    super(message);
  }
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** The library negotiates no other kinds for a server's key. */
const KEY_KINDS = ['rsa', 'ec'];

/** Throws a `CertificateError` for files that are missing, malformed, or do not belong together. */
export function readCertificate({ certFile, keyFile, clientCaFile }: TlsFiles) {
  const certText = textOf(certFile, 'certFile');
  const keyText = textOf(keyFile, 'keyFile');
  const caText = clientCaFile === null ? '' : textOf(clientCaFile, 'clientCaFile');
  const [own] = certificatesIn(certText, certFile, 'certFile');
  if (clientCaFile !== null) certificatesIn(caText, clientCaFile, 'clientCaFile');
  const key = keyIn(keyText, keyFile);
  if (!KEY_KINDS.includes(key.asymmetricKeyType ?? ''))
    throw new CertificateError(
      `${keyFile} has a key of the kind ${key.asymmetricKeyType}; expected RSA or EC`,
      'keyFile',
    );
  if (own === undefined || !own.checkPrivateKey(key))
    throw new CertificateError(
      `the key in ${keyFile} is not that of the first certificate in ${certFile}`,
      'keyFile',
    );
  return {
    /** Covers everything in the files. */
    digest: createHash('sha256')
      .update(JSON.stringify([certText, keyText, caText]))
      .digest('hex'),
    /** Names and addresses, as the certificate writes them. */
    names: own.subjectAltName ?? own.subject,
    validFromMs: Date.parse(own.validFrom),
    validToMs: Date.parse(own.validTo),
  };
}

const textOf = (file: string, culprit: keyof TlsFiles): string =>
  orRefuse(
    () => readFileSync(file, 'utf8'),
    (reason) => new CertificateError(`${file} cannot be read: ${reason}`, culprit),
  );

function certificatesIn(text: string, file: string, culprit: keyof TlsFiles): X509Certificate[] {
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new CertificateError(`${file} has no certificate; expected PEM`, culprit);
  return orRefuse(
    () => blocks.map((block) => new X509Certificate(block)),
    (reason) => new CertificateError(`${file} has a certificate that cannot be read: ${reason}`, culprit),
  );
}

/** The parser's words are about its own workings, and never show the key. */
const keyIn = (text: string, file: string): KeyObject =>
  orRefuse(
    () => createPrivateKey(text),
    (reason) =>
      new CertificateError(
        `${file} has no private key that can be read; expected PEM without a passphrase (${reason})`,
        'keyFile',
      ),
  );
