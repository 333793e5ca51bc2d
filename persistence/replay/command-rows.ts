/**
 * Commands as rows of numbers, so that a batch can be read on one thread and applied on another. An order (nearly all
 * of a journal is orders) is twelve doubles, which cross as memory. Text is separate, in the order in which the rows
 * refer to it: the client seed of an order, or the whole of any other command.
 */
import { must } from '../../engine/base/assert.js';
import { decodeCommand } from '../../engine/model/command-codec.js';
import type { Command, PlaceOrder } from '../../engine/model/commands.js';

/** Doubles per row. */
export const ROW = 12;
/** Positions in the row of an order. */
export const TIME_MS = 0;
export const ACCOUNT = 1;
export const KEY = 2;
/** `market * 2 + side`. */
export const MARKET_AND_SIDE = 3;
export const STAKE_CENTS = 4;
export const FAIR_SHARE_E6 = 5;
export const EXPECTED_PERCENT_E6 = 6;
export const LIMIT_ODDS_E4 = 7;
export const KEY_HIGH = 8;
export const KEY_LOW = 9;
/** -1 if the order has no Idempotency-Key. */
export const BODY = 10;
/** In every row: one of the next three values. */
export const TEXT = 11;
export const NO_TEXT = 0;
export const CLIENT_SEED = 1;
/** The row is not an order in the usual form: the text is the whole command, as in the journal. */
export const WHOLE_COMMAND = 2;

const ROWS_AT_FIRST = 1_024;

/** A growing list of rows, which is cleared and reused. */
export class CommandRows {
  numbers = new Float64Array(ROWS_AT_FIRST * ROW);
  count = 0;
  texts: string[] = [];

  clear(): void {
    this.count = 0;
    this.texts = [];
  }

  /** Truncates the list to `count` rows and `texts` texts. */
  cutTo(count: number, texts: number): void {
    this.count = count;
    this.texts.length = texts;
  }

  /** Makes room for one more row. */
  reserve(): void {
    if ((this.count + 1) * ROW <= this.numbers.length) return;
    const larger = new Float64Array(this.numbers.length * 2);
    larger.set(this.numbers);
    this.numbers = larger;
  }
}

/** Converts rows to commands, in order. */
export class RowsReader {
  #row = 0;
  #text = 0;

  constructor(
    private readonly numbers: Float64Array,
    private readonly texts: readonly string[],
  ) {}

  /** The commands of the next `count` rows. Throws what `decodeCommand` throws. */
  take(count: number): Command[] {
    const commands: Command[] = [];
    for (let taken = 0; taken < count; taken++) commands.push(this.#next());
    return commands;
  }

  #next(): Command {
    const { numbers } = this;
    const at = this.#row * ROW;
    this.#row++;
    const form = numbers[at + TEXT] as number;
    if (form === NO_TEXT) return orderAt(numbers, at, null);
    const text = must(this.texts[this.#text++], 'the text of a command');
    return form === CLIENT_SEED ? orderAt(numbers, at, text) : decodeCommand(JSON.parse(text));
  }
}

function orderAt(numbers: Float64Array, at: number, clientSeed: string | null): PlaceOrder {
  const part = numbers[at + MARKET_AND_SIDE] as number;
  const body = numbers[at + BODY] as number;
  const keyHigh = numbers[at + KEY_HIGH] as number;
  const keyLow = numbers[at + KEY_LOW] as number;
  return {
    kind: 'placeOrder',
    timeMs: numbers[at + TIME_MS] as number,
    account: numbers[at + ACCOUNT] as number,
    key: numbers[at + KEY] as number,
    market: part >> 1,
    side: part & 1,
    stakeCents: numbers[at + STAKE_CENTS] as number,
    fairShareE6: numbers[at + FAIR_SHARE_E6] as number,
    expectedPercentE6: numbers[at + EXPECTED_PERCENT_E6] as number,
    limitOddsE4: numbers[at + LIMIT_ODDS_E4] as number,
    idempotency: body < 0 ? null : { keyHigh, keyLow, body },
    clientSeed,
  };
}
