/** A port's certificate: served, refused, and reported before its end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CertificateError, readCertificate } from '../../../config/certificate.js';
import { PortCertificates } from '../../../http/gateway/port-certificates.js';
import type { Log } from '../../../process/log/log.js';
import { Reloads } from '../../../process/reloads.js';
import { type Pair, replace, selfSigned } from '../../support/http/certificates.js';
import { newFolder } from '../../support/new-folder.js';
import { isAvailable } from '../../support/programs.js';

const DAY_MS = 86_400_000;
const skip = isAvailable('openssl') ? false : 'openssl is missing';
const folder = newFolder();

function refusalOf(certFile: string, keyFile: string, clientCaFile: string | null = null): string {
  try {
    readCertificate({ certFile, keyFile, clientCaFile });
    return '';
  } catch (error) {
    assert.ok(error instanceof CertificateError);
    return error.message;
  }
}

interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

class Written implements Log {
  readonly isDebug = false;
  readonly lines: Line[] = [];
  write(event: string, fields: object = {}, message = ''): void {
    this.lines.push({ event, ...fields, message });
  }
  flush(): void {}
}

/** Its threads take every pair, on a clock that stands at the certificate's first hour. */
function portOf(pair: Pair) {
  const log = new Written();
  const files = { ...pair, clientCaFile: null };
  const state = { nowMs: readCertificate(files).validFromMs + 3_600_000, renewed: 0 };
  const certificates = new PortCertificates({
    files: { public: files, operator: null },
    renew: async () => {
      state.renewed += 1;
    },
    log,
    nowMs: () => state.nowMs,
  });
  return { certificates, log, state };
}

test('a certificate is read with its names and times; files that do not belong together are refused', {
  skip,
}, () => {
  const one = selfSigned(folder, 'one', { days: 30 });
  const other = selfSigned(folder, 'other');
  const read = readCertificate({ ...one, clientCaFile: null });
  assert.equal(read.names, 'DNS:localhost, IP Address:127.0.0.1');
  assert.equal(read.validToMs - read.validFromMs, 30 * DAY_MS);
  assert.match(
    refusalOf(one.certFile, other.keyFile),
    /other\.key is not that of the first certificate in .*one\.crt/,
  );
  assert.match(refusalOf(one.keyFile, one.keyFile), /one\.key has no certificate; expected PEM/);
  assert.match(refusalOf(one.certFile, one.certFile), /one\.crt has no private key that can be read/);
  assert.match(refusalOf(one.certFile, join(folder, 'none')), /none cannot be read: ENOENT/);
  assert.match(refusalOf(one.certFile, one.keyFile, one.keyFile), /one\.key has no certificate/);
  const cut = join(folder, 'cut.crt');
  writeFileSync(cut, one.cert.replace(/\n.*\n/, '\n'));
  assert.match(refusalOf(cut, one.keyFile), /cut\.crt has a certificate that cannot be read/);
  const signing = selfSigned(folder, 'signing', { newKey: '-newkey ed25519 -nodes' });
  assert.match(refusalOf(signing.certFile, signing.keyFile), /kind ed25519; expected RSA or EC/);
  const rsa = selfSigned(folder, 'rsa', { newKey: '-newkey rsa:2048 -nodes' });
  assert.equal(refusalOf(rsa.certFile, rsa.keyFile), '');
});

test('no refusal shows any of the key', { skip }, () => {
  const pair = selfSigned(folder, 'shown');
  const other = selfSigned(folder, 'another');
  const body = pair.key.split('\n')[1] ?? '';
  const broken = join(folder, 'broken.key');
  writeFileSync(broken, pair.key.replace(body, `${body.slice(0, 20)}#${body.slice(21)}`));
  for (const refused of [refusalOf(pair.certFile, broken), refusalOf(other.certFile, pair.keyFile)]) {
    assert.notEqual(refused, '');
    assert.ok(!refused.includes(body.slice(0, 12)), refused);
  }
});

test('a reload takes what has changed, and leaves all as it was where that cannot be served', {
  skip,
}, async () => {
  const pair = selfSigned(folder, 'served');
  const other = selfSigned(folder, 'next', { dns: 'tote.example.com' });
  const { certificates, state } = portOf(pair);
  state.nowMs += DAY_MS;
  assert.equal(await certificates.reload(), null);
  replace(pair, { cert: other.cert, key: pair.key });
  await assert.rejects(certificates.reload(), /served\.key is not that of the first certificate/);
  replace(pair, selfSigned(folder, 'short', { days: 1 }));
  await assert.rejects(certificates.reload(), /served\.crt has expired on/);
  assert.equal(state.renewed, 0);
  replace(pair, other);
  assert.match(
    (await certificates.reload()) ?? '',
    /^the public port has a certificate for DNS:tote\.example\.com/,
  );
  assert.equal(await certificates.reload(), null);
  assert.equal(state.renewed, 1);
});

test('a certificate is reported once a day from three weeks before its end, and no more once it is replaced', {
  skip,
}, async () => {
  const pair = selfSigned(folder, 'ending', { days: 30 });
  const { certificates, log, state } = portOf(pair);
  const reportedIn = (days: number): unknown[] => {
    state.nowMs += days * DAY_MS;
    log.lines.length = 0;
    certificates.checkExpiry();
    certificates.checkExpiry();
    return log.lines.map(({ event, port, daysLeft }) => [event, port, daysLeft]);
  };
  const lastsDays = (): number => Math.round(((certificates.endsMs ?? 0) - Date.now()) / DAY_MS);
  assert.equal(lastsDays(), 30);
  assert.deepEqual(reportedIn(8), []);
  assert.deepEqual(reportedIn(1), [['certificate_expires', 'public', 20]]);
  assert.deepEqual(reportedIn(0.5), []);
  assert.deepEqual(reportedIn(0.5), [['certificate_expires', 'public', 19]]);
  assert.deepEqual(reportedIn(20), [['certificate_expires', 'public', -1]]);
  replace(pair, selfSigned(folder, 'renewed', { days: 90 }));
  await certificates.reload();
  assert.deepEqual([lastsDays(), reportedIn(1)], [90, []]);
});

test('SIGHUP runs every reload, one after another, whatever becomes of the others', async () => {
  const log = new Written();
  const order: string[] = [];
  const reloads = new Reloads(log)
    .add('first', async () => {
      order.push('first begins');
      await Promise.resolve();
      order.push('first ends');
      throw new Error('the file is gone');
    })
    .add('second', async () => {
      order.push('second');
      return null;
    })
    .add('third', async () => 'three tokens');
  await Promise.all([reloads.run(), reloads.run()]);
  assert.deepEqual(order.slice(0, 3), ['first begins', 'first ends', 'second']);
  assert.deepEqual(
    log.lines.slice(0, 3).map(({ event, message }) => [event, message]),
    [
      ['reload_failed', 'first: the file is gone; what was in force stays'],
      ['reloaded', 'second: nothing has changed'],
      ['reloaded', 'third: three tokens'],
    ],
  );
  assert.equal(log.lines.length, 6);
});
