/**
 * Every field of every body and of every message of the stream in turn: left out, and with texts that have broken
 * servers before. No answer may be an error of the server itself.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import WebSocket from 'ws';
import { OPS } from '../../http/stream/requests.js';
import type { Sandbox } from '../support/api/api-client-sandbox.js';
import { CHANGES, type Ids } from './operator.js';
import { ORDER_FIELDS } from './orders.js';

type Fields = Readonly<Record<string, string>>;

/** Half a surrogate pair, NUL, nothing, far too much; and no texts at all. */
const hostile = (hugeChars: number): readonly string[] => [
  ...['"\\ud800"', '"a\\udc00b"', '"\\udc00\\ud800"', '"\\u0000"', '"a\\u0000b"', '""', '" "', '"__proto__"'],
  ...[`"${'x'.repeat(hugeChars)}"`, `"${'\\ud800'.repeat(hugeChars / 6)}"`],
  ...['null', '{}', '[]', '[["\\ud800"]]', '{"\\ud800":1}', '1e999', '-0', 'true'],
];

function* variants(fields: Fields, hugeChars: number): Generator<Fields> {
  yield fields;
  for (const name of Object.keys(fields)) {
    const { [name]: _left, ...others } = fields;
    yield others;
    for (const value of hostile(hugeChars)) yield { ...others, [name]: value };
  }
}

const textOf = (fields: Fields): string =>
  `{${Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`;

const usual = (fields: Readonly<Record<string, { readonly usual: string }>>): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.usual]));

const ORDER = Object.fromEntries(ORDER_FIELDS.map(({ name, usual: value }) => [name, value]));
const MESSAGES: Readonly<Record<string, Fields>> = {
  ping: {},
  subscribe: { channel: '"rounds"', markets: '["BTC_ONE_DAY"]', since: '1', run: '"fields"' },
  unsubscribe: { channel: '"rounds"' },
  order: { order: textOf(ORDER), idempotencyKey: '"fields"' },
  cancel: { orderId: '"bet_1"' },
  cancelAll: { marketId: '"BTC_ONE_DAY"', prediction: '"UP"' },
  deadman: { seconds: '300' },
};

export async function fuzzFields(sandbox: Sandbox, secret: string, ids: Ids): Promise<number> {
  const { server } = sandbox;
  let sent = 0;
  const send = async (client: ReturnType<typeof server.api>, method: string, path: string, body: string) => {
    const { status, text } = await client.send(method, path, body);
    assert.notEqual(status, 500, `${method} ${path} ${body}: ${text}`);
    sent += 1;
  };
  const quoted = { ...ORDER, parts: '2' };
  for (const [path, fields] of [
    ['/orders', ORDER],
    ['/orders/quote', quoted],
  ] as const)
    for (const body of variants(fields, 12_000)) await send(server.api(secret), 'POST', path, textOf(body));
  for (const { method, path, fields } of CHANGES)
    for (const body of variants(usual(fields), 12_000))
      await send(server.operator, method, path(ids), textOf(body));
  for (const op of OPS) {
    const message = MESSAGES[op] ?? assert.fail(`a message with the op ${op}`);
    for (const fields of variants({ op: `"${op}"`, id: '7', ...message }, 3_000)) {
      await sendOverStream(server.publicUrl, secret, textOf(fields));
      sent += 1;
    }
    for (const order of op === 'order' ? variants(ORDER, 3_000) : []) {
      await sendOverStream(
        server.publicUrl,
        secret,
        textOf({ op: '"order"', id: '7', order: textOf(order) }),
      );
      sent += 1;
    }
  }
  return sent;
}

/** On a stream of its own, which must stay open. */
async function sendOverStream(publicUrl: string, secret: string, text: string): Promise<void> {
  const socket = new WebSocket(`${publicUrl.replace('http', 'ws')}/v1/stream`, {
    headers: { 'X-API-Key': secret },
  });
  await once(socket, 'open');
  const pinged = new Promise<void>((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`${text}: closed with ${code}`)));
    socket.on('message', (data) => {
      if ((JSON.parse(String(data)) as { id?: unknown }).id === 4_294_967_295) resolve();
    });
  });
  socket.send(text);
  socket.send('{"op":"ping","id":4294967295}');
  await pinged;
  socket.removeAllListeners('close');
  socket.terminate();
}
