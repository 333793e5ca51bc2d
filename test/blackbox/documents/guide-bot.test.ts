/** The bot of docs/bots/quickstart.md: UP is dear at first, its order's first answer gets lost, its second attempt stalls. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { codeBlocks, readDocument, sectionOf } from '../../support/document.js';
import { LinkProxy } from '../../support/link-proxy.js';
import { isAvailable } from '../../support/programs.js';

const BODY = '{"success":false,"error":"request_timeout"}';
const STALLED = `HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const options = { skip: !isAvailable('python3') && 'python3 cannot be found in PATH' };

test('it waits for odds, places one bet for lost answers, and prints its result', options, async (t) => {
  const sandbox = await Sandbox.startFor(t);
  const { api, secret } = await sandbox.trader();
  await sandbox.openRounds({ BTC: 100 });
  const { api: others } = await sandbox.trader();
  const bet = (prediction: string) => others.order({ marketId: 'BTC_ONE_MINUTE', prediction, amount: 3_000 });
  await bet('UP');
  const port = Number(new URL(sandbox.server.publicUrl).port);
  const link = await LinkProxy.open(port, { after: 'POST /v1/orders', count: 2, last: STALLED });
  t.after(() => link.close());
  const section = sectionOf(readDocument('docs/bots/quickstart.md'), '## A whole bot');
  const [program = ''] = codeBlocks(section, 'python');
  assert.ok(program.includes('"127.0.0.1", 8080'));
  const linked = program
    .replace('"127.0.0.1", 8080', `"127.0.0.1", ${link.port}`)
    .replace('time.sleep(1)', 'print("waits"); time.sleep(0.1)');
  const env = { ...process.env, TOTE_API_KEY: secret };
  const bot = spawn('python3', ['-u', '-c', linked], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => bot.kill());
  const ended = Promise.all([once(bot, 'close'), text(bot.stderr)]);
  let said = '';
  bot.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  void once(bot.stdout, 'data').then(() => bet('DOWN'));
  while (!/placed.*\n/.test(said)) {
    const ending = await Promise.race([once(bot.stdout, 'data').then(() => null), ended]);
    if (ending !== null) assert.fail(ending[1]);
  }
  assert.match(said, /^(waits\n)+placed bet_\d+ at odds of 1\.\d+ in BTC_ONE_MINUTE_\d+\n$/);
  assert.match(link.lost.join(), /^HTTP\/1\.1 201 /);
  assert.equal((await api.orders()).length, 1);
  await sandbox.closeMinute({ BTC: 101 });
  const [[code], problems] = await ended;
  assert.match(said, /\nWIN 4\.\d+\n$/, problems);
  assert.equal(code, 0);
});
