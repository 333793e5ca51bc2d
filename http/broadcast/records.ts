/** The events of rounds and of bets that are broadcast, as records of two logs. */
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import { BroadcastReader, LogWriter, logMemory } from './log.js';

/** Fields of every record. */
export const SEQ = 0;
export const TIME_MS = 1;
export const KIND = 2;

/** Kinds of records of rounds. */
export const OPENED = 0;
export const LOCKED = 1;
export const SETTLED = 2;
export const VOIDED = 3;
export const ROOT = 4;

/** Fields of a record of a round. Those that its kind does not have are 0. */
export const MARKET = 3;
export const ROUND_NUMBER = 4;
export const OPEN_PRICE = 5;
/** OPENED alone has these times. */
export const START_TIME_MS = 6;
export const BETTING_CLOSES_MS = 7;
export const LOCK_TIME_MS = 8;
export const END_TIME_MS = 9;
/** SETTLED and VOIDED. */
export const RESULT = 6;
export const CLOSE_PRICE = 7;
export const BETS = 8;
export const VOLUME_CENTS = 9;
/** ROOT: number of bets, then root, key id and signature as hex digits, so many to a number. */
const TREE_SIZE = 6;
const MERKLE_ROOT = 7;
const HEX_DIGITS = 12;
const cellsOf = (digits: number): number => Math.ceil(digits / HEX_DIGITS);
const ROOT_DIGITS = 64;
const KEY_ID_DIGITS = 16;
const SIGNATURE_DIGITS = 128;
const KEY_ID = MERKLE_ROOT + cellsOf(ROOT_DIGITS);
const SIGNATURE = KEY_ID + cellsOf(KEY_ID_DIGITS);

export function writeRoot(cells: Float64Array, at: number, root: SignedRoot): void {
  cells[at + TREE_SIZE] = root.treeSize;
  writeHex(cells, at + MERKLE_ROOT, root.merkleRoot);
  writeHex(cells, at + KEY_ID, root.keyId);
  writeHex(cells, at + SIGNATURE, root.signature);
}

export const readRoot = (record: Float64Array): SignedRoot => ({
  treeSize: record[TREE_SIZE] as number,
  merkleRoot: readHex(record, MERKLE_ROOT, ROOT_DIGITS),
  keyId: readHex(record, KEY_ID, KEY_ID_DIGITS),
  signature: readHex(record, SIGNATURE, SIGNATURE_DIGITS),
});

function writeHex(cells: Float64Array, from: number, hex: string): void {
  for (let cell = 0; cell < cellsOf(hex.length); cell++)
    cells[from + cell] = Number.parseInt(hex.slice(cell * HEX_DIGITS, (cell + 1) * HEX_DIGITS), 16);
}

function readHex(record: Float64Array, from: number, digits: number): string {
  let hex = '';
  for (let cell = 0; cell < cellsOf(digits); cell++) {
    const width = Math.min(HEX_DIGITS, digits - cell * HEX_DIGITS);
    hex += (record[from + cell] as number).toString(16).padStart(width, '0');
  }
  return hex;
}

/**
 * Kinds of records of bets. BET_SETTLED includes refunds; MOVED is money that moved without a bet; ORDER_PENDING is a
 * limit order that rests, ORDER_ENDED one that was never filled.
 */
export const BET_PLACED = 0;
export const BET_SETTLED = 1;
export const MOVED = 2;
export const ORDER_PENDING = 3;
export const ORDER_FILLED = 4;
export const ORDER_ENDED = 5;
export const KEY_CREATED = 6;
/** The `clientOrderId` of the bet in the next record. Its account is 0. */
export const ORDER_NAME = 7;

/**
 * Fields of a record of a bet. `MOVED` has account and balance only, `KEY_CREATED` the account, and the key as `BET`.
 */
export const ACCOUNT = 3;
export const BALANCE_CENTS = 4;
/** `market * 2 + side`. */
export const MARKET_SIDE = 5;
export const BET_ROUND_NUMBER = 6;
export const BET = 7;
export const STAKE_CENTS = 8;
/** The possible payout of a win, or the payout. */
export const PAYOUT_CENTS = 9;
/** BET_PLACED and ORDER_FILLED; ORDER_PENDING has the odds that it names. */
export const ODDS_E4 = 10;
export const ENTRY_PERCENT_E2 = 11;
/** BET_SETTLED and ORDER_ENDED: index into `BET_ENDS`. */
export const BET_RESULT = 10;

/** ORDER_NAME: eight characters to a number, of which a double holds 53 bits. */
const NAME = 4;
const NAME_CHARACTERS = 8;
const NAME_BASE = 96;
const FIRST_VISIBLE = 0x20;

export function writeName(cells: Float64Array, at: number, name: string): void {
  for (let cell = 0; cell < NAME_CHARACTERS; cell++) {
    let number = 0;
    for (const character of name.slice(cell * NAME_CHARACTERS, (cell + 1) * NAME_CHARACTERS))
      number = number * NAME_BASE + character.charCodeAt(0) - FIRST_VISIBLE;
    cells[at + NAME + cell] = number;
  }
}

export function readName(record: Float64Array): string {
  let name = '';
  for (let cell = 0; cell < NAME_CHARACTERS; cell++) {
    let part = '';
    for (let number = record[NAME + cell] as number; number > 0; number = Math.floor(number / NAME_BASE))
      part = String.fromCharCode((number % NAME_BASE) + FIRST_VISIBLE) + part;
    name += part;
  }
  return name;
}

/** Hours of all markets' transitions. */
export const ROUNDS_FORM = { records: 1 << 14, fields: SIGNATURE + cellsOf(SIGNATURE_DIGITS) };
export const BETS_FORM = { records: 1 << 17, fields: 12 };

const LISTENERS_MAX = 64;

export type BroadcastMemory = ReturnType<typeof broadcastMemory>;
export const broadcastMemory = () => ({
  rounds: logMemory(ROUNDS_FORM),
  bets: logMemory(BETS_FORM),
  /** One double, `startSeq`. */
  start: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT),
  /** By gateway: 1 if it sleeps and wants to be woken by the next events. */
  sleepers: new SharedArrayBuffer(LISTENERS_MAX * Int32Array.BYTES_PER_ELEMENT),
});

export class BroadcastEnd {
  readonly rounds: LogWriter;
  readonly bets: LogWriter;
  readonly #sleepers: Int32Array;

  /** `startSeq` is the number of the last command that is not broadcast. */
  constructor({ rounds, bets, start, sleepers }: BroadcastMemory, startSeq: number) {
    this.rounds = new LogWriter(rounds, ROUNDS_FORM);
    this.bets = new LogWriter(bets, BETS_FORM);
    this.#sleepers = new Int32Array(sleepers);
    new Float64Array(start)[0] = startSeq;
  }

  /** If true, the gateway must be woken. True once for each sleep. */
  takeSleep(gateway: number): boolean {
    return Atomics.load(this.#sleepers, gateway) === 1 && Atomics.exchange(this.#sleepers, gateway, 0) === 1;
  }
}

/** For one gateway, once the server serves. */
export class Broadcast {
  readonly rounds: BroadcastReader;
  readonly bets: BroadcastReader;
  /** No log has events up to this command: they were before the server's start. */
  readonly startSeq: number;
  readonly #sleepers: Int32Array;

  constructor(
    { rounds, bets, start, sleepers }: BroadcastMemory,
    private readonly gateway: number,
  ) {
    this.rounds = new BroadcastReader(rounds, ROUNDS_FORM);
    this.bets = new BroadcastReader(bets, BETS_FORM);
    this.startSeq = new Float64Array(start)[0] as number;
    this.#sleepers = new Int32Array(sleepers);
  }

  /** Asks to be woken by the next events. To be followed by a look at the logs, which may have grown meanwhile. */
  sleep(): void {
    Atomics.store(this.#sleepers, this.gateway, 1);
  }
}
