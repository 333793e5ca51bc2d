/** A port's certificate: served, refused, and reported before its end. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CertificateError, readCertificate } from '../../../config/certificate.js';
import { readConfig } from '../../../config/config.js';
import { keyDigest } from '../../../crypto/api-keys.js';
import { firstToken } from '../../../engine/model/operators.js';
import { PortCertificates } from '../../../http/gateway/port-certificates.js';
import type { StandbyStatus } from '../../../http/metrics/replication.js';
import { openStandbyPort } from '../../../http/standby/port.js';
import type { Log } from '../../../process/log/log.js';
import { Reloads } from '../../../process/reloads.js';
import { askUntil } from '../../support/ask-until.js';
import { type Pair, replace, selfSigned } from '../../support/http/certificates.js';
import { httpsSend } from '../../support/http/https.js';
import { newFolder } from '../../support/new-folder.js';
import { isAvailable } from '../../support/programs.js';

const DAY_MS = 86_400_000;
const STANDBY: StandbyStatus = {
  ...{ role: 'standby', node: 'b', leader: null, lease: 'none', leaseAgeMs: null, epoch: 0, sequence: 0 },
  ...{ streamSequence: 0, messagesBehind: null, behindMs: null, trouble: null, awayMs: 0 },
};
const skip = isAvailable('openssl') ? false : 'openssl is missing';
const folder = newFolder();

function refusalOf(certFile: string, keyFile: string, clientCaFile: string | null = null): string {
  try {
    readCertificate({ certFile, keyFile, clientCaFile });
    return '';
  } catch (error) {
    assert.ok(error instanceof CertificateError);
    return `${error.culprit}: ${error.message}`;
  }
}

type Line = Readonly<Record<string, unknown>> & { readonly event: string };

class Written implements Log {
  readonly isDebug = false;
  readonly lines: Line[] = [];
  write(event: string, fields: object = {}, message = ''): void {
    this.lines.push({ event, ...fields, message });
  }
  flush(): void {}
}

/** Its threads take every pair, on a clock that stands at the certificate's first hour. */
function portOf(pair: Pair, operators: Pair | null = null) {
  const log = new Written();
  const files = { ...pair, clientCaFile: null };
  const state = { nowMs: readCertificate(files).validFromMs + 3_600_000, renewed: 0 };
  const certificates = new PortCertificates({
    files: { public: files, operator: operators && { ...operators, clientCaFile: null } },
    renew: async () => {
      state.renewed += 1;
    },
    log,
    nowMs: () => state.nowMs,
  });
  return { certificates, log, state };
}

test('a certificate is read with its names and times; files that do not fit are refused', { skip }, () => {
  const one = selfSigned(folder, 'one', { days: 30 });
  const { certFile, keyFile } = one;
  const other = selfSigned(folder, 'other');
  const read = readCertificate({ ...one, clientCaFile: null });
  assert.equal(read.names, 'DNS:localhost, IP Address:127.0.0.1');
  assert.equal(read.validToMs - read.validFromMs, 30 * DAY_MS);
  const unpaired = refusalOf(certFile, other.keyFile);
  assert.match(unpaired, /^keyFile: .*other\.key is not that of the first certificate in .*one\.crt/);
  assert.match(refusalOf(keyFile, keyFile), /^certFile: .*one\.key has no certificate; expected PEM/);
  assert.match(refusalOf(certFile, certFile), /^keyFile: .*one\.crt has no private key that can be read/);
  assert.match(refusalOf(certFile, join(folder, 'none')), /^keyFile: .*none cannot be read: ENOENT/);
  assert.match(refusalOf(certFile, keyFile, keyFile), /^clientCaFile: .*one\.key has no certificate/);
  const cut = join(folder, 'cut.crt');
  writeFileSync(cut, one.cert.replace(/\n.*\n/, '\n'));
  assert.match(refusalOf(cut, keyFile), /^certFile: .*cut\.crt has a certificate that cannot be read/);
  const signing = selfSigned(folder, 'signing', { newKey: '-newkey ed25519 -nodes' });
  assert.match(refusalOf(signing.certFile, signing.keyFile), /^keyFile: .*kind ed25519; expected RSA or EC/);
  const rsa = selfSigned(folder, 'rsa', { newKey: '-newkey rsa:2048 -nodes' });
  assert.equal(refusalOf(rsa.certFile, rsa.keyFile), '');
});

test('no refusal shows any of the key', { skip }, () => {
  const pair = selfSigned(folder, 'shown');
  const other = selfSigned(folder, 'another');
  const body = pair.key.split('\n')[1] ?? '';
  const broken = join(folder, 'broken.key');
  writeFileSync(broken, pair.key.replace(body, `${body.slice(0, 20)}#${body.slice(21)}`));
  for (const refused of [refusalOf(pair.certFile, broken), refusalOf(other.certFile, pair.keyFile)])
    assert.ok(refused !== '' && !refused.includes(body.slice(0, 12)), refused);
});

test('a reload takes what has changed, or nothing where that cannot be served', { skip }, async () => {
  const pair = selfSigned(folder, 'served');
  const other = selfSigned(folder, 'next', { dns: 'tote.example.com' });
  const operators = selfSigned(folder, 'operators');
  const { certificates, state } = portOf(pair, operators);
  state.nowMs += DAY_MS;
  assert.equal(await certificates.reload(), null);
  replace(pair, { cert: other.cert, key: pair.key });
  await assert.rejects(certificates.reload(), /served\.key is not that of the first certificate/);
  replace(pair, selfSigned(folder, 'short', { days: 1 }));
  await assert.rejects(certificates.reload(), /served\.crt has expired on/);
  assert.equal(state.renewed, 0);
  replace(pair, other);
  assert.match((await certificates.reload()) ?? '', /^the public port has .* for DNS:tote\.example\.com/);
  assert.deepEqual([await certificates.reload(), state.renewed], [null, 1]);
  replace(pair, { cert: operators.cert, key: other.key });
  replace(operators, other);
  const half = /^Error: the operator port has .*; the public port: the key in .*served\.key is not/;
  await assert.rejects(certificates.reload(), half);
});

test('a certificate is reported once a day before its beginning and from three weeks before its end, and no more once it is replaced', {
  skip,
}, async () => {
  const pair = selfSigned(folder, 'ending', { days: 30 });
  const { certificates, log, state } = portOf(pair);
  const reportedIn = (days: number): unknown[] => {
    state.nowMs += days * DAY_MS;
    log.lines.length = 0;
    certificates.checkValidity();
    certificates.checkValidity();
    return log.lines.map(({ event, port, daysLeft }) => [event, port, daysLeft]);
  };
  assert.deepEqual(reportedIn(-1), [['certificate_early', 'public', undefined]]);
  assert.deepEqual(reportedIn(1), []);
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

test('a standby, too, serves a renewed certificate, and tells when it ends', { skip }, async (t) => {
  const pair = selfSigned(folder, 'standby', { days: 5 });
  const next = selfSigned(folder, 'renewed-standby');
  const [token, log] = ['token-of-the-standby', new Written()];
  const reloads = new Reloads(log);
  const config = readConfig({
    TOTE_OPERATOR_PORT: '0',
    TOTE_OPERATOR_TLS_CERT_FILE: pair.certFile,
    TOTE_OPERATOR_TLS_KEY_FILE: pair.keyFile,
  });
  const port = await openStandbyPort(config, {
    ...{ reloads, log, version: '1', sessionKey: new Uint8Array(32) },
    readTokens: () => [firstToken(keyDigest(token))],
    status: () => STANDBY,
    onFatal: (error) => assert.fail(String(error)),
  });
  t.after(() => port.close());
  const to = { port: Number(new URL(`${log.lines[0]?.['operatorUrl']}`).port), ca: [pair.cert, next.cert] };
  const headers = { Authorization: `Bearer ${token}` };
  assert.equal((await httpsSend(to, 'GET', '/healthz')).server, 'standby');
  await askUntil(
    async () => log.lines.map(({ event }) => event),
    (events) => events.includes('certificate_expires'),
  );
  replace(pair, next);
  await reloads.run();
  const { server, text } = await httpsSend(to, 'GET', '/metrics', { headers });
  assert.equal(server, 'renewed-standby');
  const { validToMs } = readCertificate({ ...pair, clientCaFile: null });
  assert.match(text, new RegExp(`^tote_certificate_ends_timestamp_seconds ${validToMs / 1_000}$`, 'm'));
  const half = httpsSend(to, 'POST', '/healthz', { headers: { 'Content-Length': '2' }, body: '1' });
  await httpsSend(to, 'GET', '/healthz');
  await Promise.all([port.close(), assert.rejects(half, 'who is still sending is not waited for')]);
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
  const told = log.lines.slice(0, 3).map(({ event, message }) => `${event} ${message}`);
  assert.deepEqual(told, [
    'reload_failed first: the file is gone; what was in force stays',
    'reloaded second: nothing has changed',
    'reloaded third: three tokens',
  ]);
  assert.equal(log.lines.length, 6);
});
