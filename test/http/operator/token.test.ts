/** Guesses at the operator token are counted and logged, for their address and no other (`TokenGuard`). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keyDigest } from '../../../crypto/api-keys.js';
import { firstToken } from '../../../engine/model/operators.js';
import type { Refused } from '../../../http/kit/refused.js';
import { ADDRESSES_MAX, GUESSES_MAX, TokenGuard } from '../../../http/operator/access/token-guard.js';
import { TestClock } from '../../support/host/host.js';
import { RawClient } from '../../support/http/raw-client.js';
import { scrape } from '../../support/processes/scrape.js';
import { Server } from '../../support/processes/server.js';

const TOKEN = 'the-token-of-the-operator';
const [HERE, ELSEWHERE] = ['10.0.0.1', '10.0.0.2'];

function guarded() {
  const clock = new TestClock();
  const guard = new TokenGuard([firstToken(keyDigest(TOKEN))], clock);
  const ask = (authorization: string, address = HERE): Partial<Refused> =>
    guard.identify({ authorization, address }) as Partial<Refused>;
  const send = (token: string, address = HERE): string =>
    ask(token === '' ? '' : `Bearer ${token}`, address).code ?? 'taken';
  const guess = (count: number, address = HERE): void => {
    for (let n = 0; n < count; n++) assert.equal(send(`guess-${n}`, address), 'invalid_operator_token');
  };
  return { clock, guard, ask, send, guess };
}

test('after ten wrong tokens within a minute further ones from the address, and no other, are refused unseen', () => {
  const { clock, ask, send, guess } = guarded();
  guess(GUESSES_MAX - 1);
  clock.pass(20_000);
  assert.deepEqual([send('guess-last'), send('one-more')], ['invalid_operator_token', 'rate_limited']);
  assert.equal(send('one-more', ELSEWHERE), 'invalid_operator_token');
  const { headers, detail } = ask('Bearer one-more');
  assert.deepEqual([headers, / 40 s/.test(detail ?? '')], [['Retry-After', '40'], true]);
  clock.pass(39_999);
  assert.equal(send('one-more'), 'rate_limited');
  clock.pass(1);
  assert.equal(send('one-more'), 'invalid_operator_token', 'Retry-After is enough');
});

test('a right token always passes, whatever else its address has sent', () => {
  const { guard, send, guess } = guarded();
  guess(GUESSES_MAX);
  assert.equal(guard.hasProven(HERE), false);
  for (let n = 0; n < 2 * GUESSES_MAX; n++) {
    assert.deepEqual([send(`more-${n}`), send(TOKEN)], ['rate_limited', 'taken']);
  }
  assert.deepEqual([guard.hasProven(HERE), guard.hasProven(ELSEWHERE)], [true, false]);
});

test('a request without a token, or with the same wrong one, is not another guess', () => {
  const { ask, send, guess } = guarded();
  guess(GUESSES_MAX - 1);
  assert.match(ask(TOKEN).detail ?? '', /^Authorization: Bearer .* is expected$/);
  assert.match(ask('Bearer guess-0').detail ?? '', / on SIGHUP$/);
  for (let n = 0; n < 100; n++) {
    assert.equal(send(''), 'invalid_operator_token');
    assert.equal(send(`guess-${n % 9}`), 'invalid_operator_token');
  }
  assert.equal(send(TOKEN), 'taken');
});

test('guesses from more addresses than are remembered keep nobody out', () => {
  const { clock, send, guess } = guarded();
  for (let n = 0; n <= ADDRESSES_MAX; n++) send('guess', `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  assert.equal(send(TOKEN, 'fd00:0:0:0::/64'), 'taken');
  guess(GUESSES_MAX + 1, 'fd00:0:0:0::/64');
  clock.pass(60_000);
  guess(GUESSES_MAX, 'fd00:0:0:0::/64');
  assert.equal(send('one-more', 'fd00:0:0:0::/64'), 'rate_limited', 'once there is room it is remembered');
});

test('guesses are reported at once, and then at most once a minute', () => {
  const { clock, guard, send, guess } = guarded();
  send(TOKEN);
  assert.equal(guard.takeGuesses(), null);
  guess(GUESSES_MAX);
  send('one-more');
  assert.deepEqual(guard.takeGuesses(), { wrong: GUESSES_MAX, refused: 1, addresses: [HERE] });
  for (let n = 0; n < 1_000; n++) send('guess', n === 0 ? HERE : `10.1.0.${n % 200}`);
  clock.pass(59_999);
  assert.equal(guard.takeGuesses(), null);
  clock.pass(1);
  const { wrong, refused, addresses = [] } = guard.takeGuesses() ?? {};
  assert.deepEqual([wrong, refused, addresses[0], addresses.length], [999, 1, HERE, 5]);
  clock.pass(60_000);
  assert.equal(guard.takeGuesses(), null, 'nothing new');
  assert.deepEqual(guard.counted, { wrong: GUESSES_MAX + 999, refused: 2 }, 'metrics count all');
});

let server: Server;
let port = 0;
before(async () => {
  server = await Server.start();
  port = Number(new URL(server.operatorUrl).port);
});
after(() => server.remove());

const askWith = (client: RawClient, token: string): void =>
  client.send('GET /operator/v1/house HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, '', '');

test('the server refuses and logs guesses from one address, and serves its right token, and another', async () => {
  const guesser = await RawClient.open(port, '127.0.0.2');
  const tokens = [...Array.from({ length: 30 }, (_, n) => `guess-${n}`), server.token];
  for (const [index, token] of tokens.entries()) {
    askWith(guesser, token);
    await guesser.sees(new RegExp(`(?:\\}[^}]*){${index + 1}}`));
  }
  guesser.socket.destroy();
  const statuses = [...guesser.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, [...Array(10).fill('401'), ...Array(20).fill('429'), '200']);
  assert.equal((await server.operator.get('/house')).status, 200);
  const scraped = await scrape(server);
  const counted = ['wrong', 'unseen'].map((reason) =>
    scraped.value(`tote_operator_tokens_refused_total{reason="${reason}"}`),
  );
  assert.deepEqual(counted, [10, 20]);
  await server.run.findInErrors((stderr) => /"event":"operator_tokens_refused"/.exec(stderr));
  assert.match(server.run.stderr, /"addresses":\["127\.0\.0\.2"\]/);
  assert.doesNotMatch(server.run.stderr, /guess-/);
});

test('strangers who take all the connections they can get keep no known address out', async (t) => {
  const ask = async (address: string): Promise<string> => {
    const client = await RawClient.open(port, address);
    askWith(client, server.token);
    const received = await client.sees(/HTTP/);
    client.socket.destroy();
    return received;
  };
  assert.match(await ask('127.0.0.3'), /^HTTP\/1\.1 200/);
  // One address alone may have 64.
  const addresses = Array.from({ length: 256 }, (_, n) => `127.0.1.${1 + (n % 8)}`);
  const strangers = await Promise.all(addresses.map((address) => RawClient.open(port, address)));
  t.after(() => {
    for (const { socket } of strangers) socket.destroy();
  });
  assert.equal(await ask('127.0.0.4'), '', 'one that is not known gets none');
  assert.match(await ask('127.0.0.3'), /^HTTP\/1\.1 200/);
});
