import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NEW_EC_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

export interface Pair {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** Writes `<name>.crt` and `<name>.key`, for 127.0.0.1 and one other name. */
export function selfSigned(
  folder: string,
  name: string,
  { days = 30, dns = 'localhost', newKey = NEW_EC_KEY } = {},
): Pair {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const names = `subjectAltName=DNS:${dns},IP:127.0.0.1`;
  openssl(
    `req -x509 ${newKey} -days ${days} -subj /CN=${name} -addext ${names} -keyout ${keyFile} -out ${certFile}`,
  );
  return read(certFile, keyFile);
}

export function signedBy(folder: string, authority: Pair, name: string): Pair {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const request = join(folder, `${name}.csr`);
  openssl(`req ${NEW_EC_KEY} -subj /CN=${name} -keyout ${keyFile} -out ${request}`);
  const signer = `-CA ${authority.certFile} -CAkey ${authority.keyFile} -CAcreateserial`;
  openssl(`x509 -req -in ${request} ${signer} -days 30 -out ${certFile}`);
  return read(certFile, keyFile);
}

export function replace(
  place: Pick<Pair, 'certFile' | 'keyFile'>,
  { cert, key }: Pick<Pair, 'cert' | 'key'>,
): void {
  writeFileSync(place.certFile, cert);
  writeFileSync(place.keyFile, key);
}

const read = (certFile: string, keyFile: string): Pair => ({
  certFile,
  keyFile,
  cert: readFileSync(certFile, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
});

const openssl = (options: string): void => {
  execFileSync('openssl', options.split(' '), { stdio: 'pipe' });
};
