/**
 * The AsyncAPI 3 document of the stream. The schemas come from the types by which messages are read and written; names
 * in braces in their descriptions stand for values of the rules in force.
 */
import typia from 'typia';
import { ERROR_CODES } from '../../engine/model/errors.js';
import type { Rules } from '../../engine/model/rules.js';
import { fillInRules } from '../openapi/describe-rules.js';
import { isObject, type Json, type JsonObject } from '../openapi/schemas.js';
import type { ClientMessage } from '../wire/stream-requests.js';
import type { ServerMessage } from '../wire/stream-types.js';

const { schemas: generated = {} } = typia.json.schemas<[ClientMessage, ServerMessage], '3.1'>().components;
/** The unions, which nothing in the document refers to, are left out. */
const { ClientMessage: _ofClients, ServerMessage: _ofServer, ...messages } = generated;

/** By the schema's name. */
const REQUESTS = {
  Subscribe: ['subscribe', 'Subscribes to a channel, in place of an earlier subscription to it'],
  Unsubscribe: ['unsubscribe', 'Ends the subscription to a channel'],
  Ping: ['ping', 'Asks for a pong'],
  StreamOrder: ['order', 'Places a bet, as POST /orders'],
  StreamCancel: ['cancel', 'Cancels an order that rests, as DELETE /orders/{id}'],
  StreamCancelAll: ['cancelAll', 'Cancels all orders that rest, as DELETE /orders'],
  StreamDeadman: ['deadman', 'Cancels the orders of this key once its bot has gone'],
} as const;

const MESSAGES = {
  Heartbeat: ['heartbeat', 'How far the connection is, and how old prices are; each second'],
  Subscribed: ['subscribed', 'The answer to subscribe'],
  Unsubscribed: ['unsubscribed', 'The answer to unsubscribe'],
  Pong: ['pong', 'The answer to ping'],
  OrderMessage: ['orderPlaced', 'The answer to an accepted order'],
  CancelledMessage: ['orderCancelled', 'The answer to an accepted cancel'],
  CancelledAllMessage: ['ordersCancelled', 'The answer to an accepted cancelAll'],
  DeadmanMessage: ['deadmanSet', 'The answer to an accepted deadman'],
  StreamError: ['error', 'A refusal, or why the stream is about to be closed'],
  MarketsMessage: ['markets', 'The newest state of markets'],
  PricesMessage: ['prices', 'The newest prices of assets'],
  AccountMessage: ['account', 'The newest balance, and keys as they are made'],
  RoundsMessage: ['rounds', 'Transitions of rounds'],
  FillsMessage: ['fills', 'Events of bets of the account'],
} as const;

type Named = Readonly<Record<string, readonly [name: string, summary: string]>>;

const namesOf = (messages: Named): string[] => Object.values(messages).map(([name]) => name);

const messagesOf = (messages: Named): JsonObject =>
  Object.fromEntries(
    Object.entries(messages).map(([schema, [name, summary]]) => [
      name,
      {
        name,
        title: summary,
        summary,
        contentType: 'application/json',
        payload: { $ref: `#/components/schemas/${schema}` },
      },
    ]),
  );

const refs = (messages: Named): JsonObject[] =>
  namesOf(messages).map((name) => ({ $ref: `#/channels/stream/messages/${name}` }));

const CODES: readonly string[] = ERROR_CODES;
const placeOf = (part: Json): number => (isObject(part) ? CODES.indexOf(String(part['const'])) : -1);

/** The compiler's order of error codes changes with sources that have nothing to do with them. */
const inOrder = (parts: readonly Json[]): readonly Json[] =>
  parts.toSorted((one, other) => placeOf(one) - placeOf(other));

/** Puts every reference in an element of its own: readers may ignore its siblings. */
function apart(schema: Json): Json {
  if (Array.isArray(schema)) return inOrder(schema.map(apart));
  if (!isObject(schema)) return schema;
  const { $ref, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, apart(value)]),
  );
  if ($ref === undefined) return rest;
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] };
}

const server = (pathname: string, description: string): JsonObject => ({
  host: '{host}',
  pathname,
  protocol: 'ws',
  description,
  variables: { host: { default: 'localhost:8080', description: 'Where the server is' } },
  security: [{ $ref: '#/components/securitySchemes/apiKey' }],
});

const DESCRIPTION = `Markets, prices, rounds and bets as they change, in place of polling; and orders.

Each channel of messages (\`markets\`, \`prices\`, \`rounds\`, \`fills\`, \`account\`) is subscribed to on the one WebSocket that
this document describes. The page /docs/stream says what a schema cannot: what is sent when, how to resume without a gap,
and how streams end.`;

export function asyncApiDocument(rules: Rules): JsonObject {
  const names = [...namesOf(REQUESTS), ...namesOf(MESSAGES)];
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'tote: the stream',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      canonical: server('/v1', 'Canonical base; wss with TLS'),
      legacy: server('/api/v1', 'Legacy base, the same version'),
    },
    channels: {
      stream: {
        address: '/stream',
        title: 'The stream',
        description:
          'One WebSocket; browsers offer the subprotocols `tote.v1` and `tote.key.<secret>` instead of the header.',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      takeRequests: {
        action: 'receive',
        channel: { $ref: '#/channels/stream' },
        summary: 'Messages that clients send',
        messages: refs(REQUESTS),
      },
      sendMessages: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        summary: 'Messages that the server sends',
        messages: refs(MESSAGES),
      },
    },
    components: {
      securitySchemes: { apiKey: { type: 'httpApiKey', name: 'X-API-Key', in: 'header' } },
      messages: { ...messagesOf(REQUESTS), ...messagesOf(MESSAGES) },
      schemas: apart(JSON.parse(JSON.stringify(messages))),
    },
  };
  return JSON.parse(fillInRules(JSON.stringify(document), rules)) as JsonObject;
}
