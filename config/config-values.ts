/**
 * Parsers for the values of `TOTE_*` variables, each with its expectation. `variables.ts` says which variable uses
 * which.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { orRefuse } from '../engine/base/attempt.js';
import { utcMsOf } from '../engine/base/iso-text.js';
import { AMOUNT_CENTS_MAX, centsOfText } from '../engine/base/money.js';
import { isOperatorToken, OPERATOR_TOKEN_FORM } from '../engine/model/operators.js';
import type { Setup } from '../engine/model/setup.js';
import { contradictions, withOverrides } from './compose.js';
import { isHostName, parseAddressRange } from './hosts.js';
import { checkOverrides, type RulesOverrides } from './overrides.js';
import {
  CANCELS_PER_WRITE,
  DEFAULT_RATE_LIMITS,
  RATE_LIMIT_NAMES,
  type RateLimitSettings,
} from './rate-limits.js';

/** Thrown by a parser; the message says what was expected. */
export class Expected extends Error {}
export type Parser<T> = (text: string) => T;

/** The declaration of a `TOTE_*` variable. */
export interface Variable<T> {
  readonly name: `TOTE_${string}`;
  /** The value if the variable is not set. */
  readonly unset: T;
  /** As docs/ops/configuration.md shows it. */
  readonly shownDefault: string;
  readonly read: Parser<T>;
  /** Markdown: what the variable does, and its values unless the default makes them obvious. */
  readonly help: string;
  /** The value may be shown to nobody, not even where it is refused. */
  readonly isSecret?: true;
}

/** The default is given as text. */
export function variable<T>(
  name: Variable<T>['name'],
  text: string,
  read: Parser<T>,
  help: string,
): Variable<T> {
  return { name, unset: read(text), shownDefault: text, read, help };
}

/** The default cannot be written as text: `shownDefault` says what happens if the variable is not set. */
export function optional<T, U>(
  name: Variable<T>['name'],
  [unset, shownDefault]: readonly [unset: U, shownDefault: string],
  read: Parser<T>,
  help: string,
): Variable<T | U> {
  return { name, unset, shownDefault, read, help };
}

export function secret<T, U>(...declared: Parameters<typeof optional<T, U>>): Variable<T | U> {
  return { ...optional(...declared), isSecret: true };
}

/** More than any machine needs; each has rings and a thread of its own. */
export const GATEWAYS_MAX = 64;
/**
 * Gateways need two of four cores that serve orders; engine, journal and shadow share the others. On two, another
 * thread costs more than it carries.
 */
export const defaultGateways = (cores: number): number =>
  cores <= 2 ? 0 : Math.min(Math.floor(cores / 2), GATEWAYS_MAX);

/** Half of the most that can ever be deposited; the other half is for accounts. */
const HOUSE_CAPITAL_CENTS_MAX = AMOUNT_CENTS_MAX / 2;

export const port: Parser<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new Expected('a port number from 0 (any free port) to 65535');
  }
  return Number(text);
};

/** Text that is taken as it is. */
export function textOf(form: string, isOfForm: (text: string) => boolean): Parser<string> {
  return (text) => {
    if (!isOfForm(text)) throw new Expected(form);
    return text;
  };
}

export const host = textOf('an IP address or a host name', (text) => isIP(text) > 0 || isHostName(text));
export const path = textOf('a path', (text) => text !== '' && !text.includes('\0'));
export const token = textOf(OPERATOR_TOKEN_FORM, isOperatorToken);

export function oneOf<T extends string>(...choices: readonly T[]): Parser<T> {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new Expected(`one of ${choices.join(', ')}`);
    return found;
  };
}

/** UTC, as milliseconds since 1970. */
export const instant: Parser<number> = (text) => {
  const timeMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text) ? utcMsOf(text) : Number.NaN;
  if (!(timeMs > 0)) throw new Expected('a time since 1970 in UTC, such as 2026-06-10T12:00:00Z');
  return timeMs;
};

export const flag: Parser<boolean> = (text) => oneOf('0', '1')(text) === '1';

/** Separated by commas. */
export function someOf<T extends string>(...choices: readonly T[]): Parser<readonly T[]> {
  return (text) => {
    if (text === 'none') return [];
    const words = text.split(',').map((word) => word.trim());
    const found = choices.filter((choice) => words.includes(choice));
    if (found.length === words.length) return found;
    throw new Expected(`"none", or some of ${choices.join(', ')}, separated by commas, each once`);
  };
}

/** With or without commas between thousands. */
export function whole(min: number, max: number): Parser<number> {
  return (text) => {
    const wellFormed = /^(\d{1,15}|\d{1,3}(,\d{3}){1,4})$/.test(text);
    const count = wellFormed ? Number(text.replaceAll(',', '')) : -1;
    if (count < min || count > max) throw new Expected(`a whole number from ${min} to ${max}`);
    return count;
  };
}

/** In milliseconds; null for no limit. */
export const hoursOrDaysOrAll: Parser<number | null> = (text) => {
  if (text === 'all') return null;
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw new Expected('"all", or how long, in hours or days: 12h, 30d');
  return Number(count) * (unit === 'h' ? 3_600_000 : 86_400_000);
};

export const dollars: Parser<number> = (text) => {
  const cents = centsOfText(text);
  if (cents === null) {
    throw new Expected('an amount in dollars with at most two decimals, such as 1,000,000.00');
  }
  if (cents > HOUSE_CAPITAL_CENTS_MAX) throw new Expected('at most 5,000,000,000,000.00');
  return cents;
};

export const rateLimits: Parser<RateLimitSettings | null> = (text) => {
  if (text === 'off') return null;
  const limits: Partial<Record<keyof RateLimitSettings, number>> = {};
  for (const part of text.split(',')) {
    const [, key, digits] = /^\s*([a-z_]+)\s*=\s*([1-9]\d{0,8})\s*$/.exec(part) ?? [];
    const name = RATE_LIMIT_NAMES.find(([shown]) => shown === key)?.[1];
    if (name === undefined || limits[name] !== undefined) {
      throw new Expected(
        `"off", or each at most once: ${RATE_LIMIT_NAMES.map(([shown]) => `${shown}=<requests a minute>`).join(',')}`,
      );
    }
    limits[name] = Number(digits);
  }
  const { keyWrite = DEFAULT_RATE_LIMITS.keyWrite } = limits;
  return { ...DEFAULT_RATE_LIMITS, keyCancel: CANCELS_PER_WRITE * keyWrite, ...limits };
};

export const addresses: Parser<readonly string[]> = (text) => {
  if (text === '' || text === 'none') return [];
  const list = text.split(',').map((address) => address.trim());
  if (list.some((address) => parseAddressRange(address) === null)) {
    throw new Expected('IP addresses or ranges (10.0.0.0/8) separated by commas, or "none"');
  }
  return list;
};

/** The defaults, or a file's rules. */
interface RequestedRules {
  readonly from: Setup['rulesFrom'];
  readonly overrides: RulesOverrides;
}

export const rulesFile: Parser<RequestedRules> = (text) => {
  if (text === 'none') return { from: 'defaults', overrides: {} };
  const refusal = (...mistakes: readonly string[]): Expected =>
    new Expected(`a JSON file of rules, or "none"; ${mistakes.join('; ')}`);
  const checked = checkOverrides(readJson(path(text), refusal));
  if (!checked.success) throw refusal(...checked.mistakes);
  const mistakes = contradictions(withOverrides('', checked.overrides));
  if (mistakes.length > 0) throw refusal(...mistakes);
  return { from: 'file', overrides: checked.overrides };
};

export const readJson = (path: string, refusal: (mistake: string) => Expected): unknown =>
  orRefuse(
    () => JSON.parse(readFileSync(path, 'utf8')),
    (reason) => refusal(`it cannot be read: ${reason}`),
  );
