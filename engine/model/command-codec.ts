/**
 * The journal's text form of commands: JSON arrays `[kind, version, timeMs, ...]`. Orders, nearly all of a journal, are
 * flat arrays that are cheap to write and parse; any other command carries one object with named fields. Markets,
 * assets, tiers and sides are text, so that an operator can read a row with `sqlite3` and `json_each`. Checksum and
 * chain have been verified before decoding.
 */
import { assert, fail } from '../base/assert.js';
import { TextWriter } from '../base/text-writer.js';
import type { Command, CommandKind, IdempotencyDigest, PlaceOrder } from './commands.js';
import { ASSETS, MARKET_IDS, marketOf, SIDES, TIERS, textAt } from './domain.js';

const COMMAND_VERSIONS: Readonly<Record<CommandKind, number>> = {
  configure: 1,
  declareSetup: 1,
  advance: 1,
  setCalendar: 1,
  boundaryPrice: 1,
  openLate: 1,
  confirmPrice: 1,
  settle: 1,
  placeOrder: 1,
  cancelOrder: 1,
  cancelOrders: 1,
  fillOrders: 1,
  expireOrders: 1,
  createAccount: 1,
  updateAccount: 1,
  deposit: 1,
  withdraw: 1,
  depositHouse: 1,
  withdrawHouse: 1,
  createKey: 1,
  updateKey: 1,
  expireKey: 1,
  rotateKey: 1,
  setDeadman: 1,
  setTrading: 1,
  suspendMarket: 1,
  voidRound: 1,
  publishRoot: 1,
  moveClock: 1,
};

export const COMMAND_KINDS = Object.keys(COMMAND_VERSIONS) as readonly CommandKind[];

/** Fields that are an index in memory and a name in the text. */
const ENUM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  market: MARKET_IDS,
  asset: ASSETS,
  side: SIDES,
  tier: TIERS,
};

export function encodeCommand(command: Command): string {
  const text = new TextWriter();
  writeCommand(text, command);
  return text.toString();
}

export function writeCommand(into: TextWriter, command: Command): void {
  if (command.kind === 'placeOrder') {
    writePlaceOrder(into, command);
    return;
  }
  const { kind, timeMs, ...fields } = command;
  const words = Object.entries(fields).map(([name, value]) => {
    const list = ENUM_FIELDS[name];
    return [name, list !== undefined && typeof value === 'number' ? textAt(list, value) : value];
  });
  into.text(JSON.stringify([kind, COMMAND_VERSIONS[kind], timeMs, Object.fromEntries(words)]));
}

const encoder = new TextEncoder();

/** Market and side in an order's text, by `market * 2 + side`. */
export const ORDER_PARTS: readonly Uint8Array[] = MARKET_IDS.flatMap((id) =>
  SIDES.map((side) => encoder.encode(`,"${id}","${side}",`)),
);

/** The start of an order's text, up to its time. */
export const ORDER_HEAD = `["placeOrder",${COMMAND_VERSIONS.placeOrder},`;

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const MINUS_ONE = encoder.encode('-1');
const NULL = encoder.encode('null');

/** Orders are nearly all of a journal: the hot path. */
export function writePlaceOrder(into: TextWriter, order: PlaceOrder): void {
  const part = ORDER_PARTS[order.market * 2 + order.side] ?? fail('an order is on one side of a market');
  into.bytes(orderHead(order.timeMs));
  into.integer(order.account);
  into.byte(COMMA);
  into.integer(order.key);
  into.bytes(part);
  into.integer(order.stakeCents);
  into.byte(COMMA);
  writeShare(into, order.fairShareE6);
  into.byte(COMMA);
  writeShare(into, order.expectedPercentE6);
  into.byte(COMMA);
  into.integer(order.limitOddsE4);
  into.byte(COMMA);
  into.integer(order.validUntilMs);
  into.byte(COMMA);
  writeDigest(into, order.idempotency);
  into.byte(COMMA);
  if (order.clientSeed === null) into.bytes(NULL);
  else into.text(JSON.stringify(order.clientSeed));
  // Last, and only where there is one: most orders have no name.
  if (order.clientOrderId !== null) {
    into.byte(COMMA);
    into.text(JSON.stringify(order.clientOrderId));
  }
  into.byte(CLOSE);
}

/** Negative numbers stand for a missing share; nearly all of them are -1. */
function writeShare(into: TextWriter, value: number): void {
  if (value === -1) into.bytes(MINUS_ONE);
  else if (value < 0) into.text(String(value));
  else into.integer(value);
}

function writeDigest(into: TextWriter, digest: IdempotencyDigest | null): void {
  if (digest === null) {
    into.bytes(NULL);
    return;
  }
  into.byte(OPEN);
  into.integer(digest.keyHigh);
  into.byte(COMMA);
  into.integer(digest.keyLow);
  into.byte(COMMA);
  into.integer(digest.body);
  into.byte(CLOSE);
}

/** The last time written: many orders share a millisecond. */
let keptTimeMs = Number.NaN;
let keptHead = encoder.encode('');

function orderHead(timeMs: number): Uint8Array {
  if (timeMs !== keptTimeMs) {
    keptHead = encoder.encode(`${ORDER_HEAD}${timeMs},`);
    keptTimeMs = timeMs;
  }
  return keptHead;
}

/** Throws if kind or version are not known. */
export function decodeCommand(value: unknown): Command {
  assert(Array.isArray(value), 'a command in the journal is a JSON array');
  const [kind, version] = value as [CommandKind, number];
  const isKnown = Object.hasOwn(COMMAND_VERSIONS, kind) && COMMAND_VERSIONS[kind] === version;
  if (!isKnown)
    fail(`the journal holds a command "${kind}" of version ${version}, which this version does not know`);
  return kind === 'placeOrder' ? decodePlaceOrder(value) : decodeNamed(kind, value);
}

type PlaceOrderText = readonly [
  kind: string,
  version: number,
  timeMs: number,
  account: number,
  key: number,
  market: string,
  side: string,
  stakeCents: number,
  fairShareE6: number,
  expectedPercentE6: number,
  limitOddsE4: number,
  validUntilMs: number,
  idempotency: readonly [keyHigh: number, keyLow: number, body: number] | null,
  clientSeed: string | null,
  clientOrderId?: string,
];

function decodePlaceOrder(value: readonly unknown[]): PlaceOrder {
  const text = value as unknown as PlaceOrderText;
  const digest = text[12];
  const idempotency: IdempotencyDigest | null =
    digest === null ? null : { keyHigh: digest[0], keyLow: digest[1], body: digest[2] };
  return {
    kind: 'placeOrder',
    timeMs: text[2],
    account: text[3],
    key: text[4],
    market: marketOf(text[5]),
    side: text[6] === 'UP' ? 0 : 1,
    stakeCents: text[7],
    fairShareE6: text[8],
    expectedPercentE6: text[9],
    limitOddsE4: text[10],
    validUntilMs: text[11],
    idempotency,
    clientSeed: text[13],
    clientOrderId: text[14] ?? null,
  };
}

function decodeNamed(kind: CommandKind, value: readonly unknown[]): Command {
  const fields = Object.entries(value[3] as Record<string, unknown>).map(([name, field]) => {
    const list = ENUM_FIELDS[name];
    return [name, list !== undefined && typeof field === 'string' ? list.indexOf(field) : field];
  });
  return { kind, timeMs: value[2], ...Object.fromEntries(fields) } as Command;
}
