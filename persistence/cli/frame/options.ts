/** Values of command-line options. An invalid one is refused with the option's name and the expected form. */
import { InvalidArgumentError, Option } from 'commander';
import { hoursOrDaysOrAll } from '../../../config/config-values.js';
import { messageOf } from '../../errors.js';

export function parseSeq(text: string): number {
  return parseWhole(text, 1, 'a sequence number: a whole number from 1');
}

export function parseWhole(text: string, min: number, expected: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new InvalidArgumentError(`Expected ${expected}.`);
  return value;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * A moment in milliseconds since 1970: ISO 8601 with its offset (a date alone is its midnight in UTC), or the
 * milliseconds themselves.
 */
export function parseTimeMs(text: string): number {
  const timeMs = /^\d{11,15}$/.test(text)
    ? Number(text)
    : ISO_TIME.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new InvalidArgumentError(
      'Expected a time: 2026-11-21T14:03:00Z, 2026-11-21T15:03:00+01:00, 2026-11-21 (its midnight in UTC), ' +
        'or milliseconds since 1970.',
    );
  }
  return timeMs;
}

/** In milliseconds; null for `all`. */
export function parseKeep(text: string): number | null {
  try {
    return hoursOrDaysOrAll(text);
  } catch (thrown) {
    throw new InvalidArgumentError(`Expected ${messageOf(thrown)}.`);
  }
}

export interface LimitOptions {
  readonly limit?: number;
}

const ROWS_SHOWN = 100;

export const LIMIT_OPTION = new Option(
  '--limit <N>',
  `the last N rows of each list, or "all" (default: ${ROWS_SHOWN}, with --json all)`,
).argParser((text) =>
  text === 'all' ? Number.POSITIVE_INFINITY : parseWhole(text, 1, '"all", or a whole number from 1'),
);

export const limitOf = ({ limit }: LimitOptions, isJson: boolean): number =>
  limit ?? (isJson ? Number.POSITIVE_INFINITY : ROWS_SHOWN);
