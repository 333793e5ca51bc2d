/**
 * The configuration: every `TOTE_*` environment variable, checked once, before anything else happens (design,
 * section 8). All mistakes are told at once, each with the variable's name and what was expected; a name that
 * is not known is a mistake too, since a misspelt limit would otherwise be no limit.
 */

import { isIP } from 'node:net';
import { AMOUNT_CENTS_MAX, centsOfDollars } from '../../engine/base/money.js';
import * as kept from '../../engine/model/snapshots-kept.js';
import { DEFAULT_RATE_LIMITS, RATE_LIMIT_NAMES, type RateLimitSettings } from '../limits/settings.js';
import { nearest } from '../text/nearest.js';
import { parseAddressRange } from '../uws/client-address.js';
import { NO_OVERRIDES, type RulesOverrides, readRulesOverrides } from './rules-file.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly host: string;
  /** 0 takes any free port; the banner says which. */
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  /** null: the one kept in the data directory, made at the first start. */
  readonly operatorToken: string | null;
  readonly dataDir: string;
  readonly feed: 'simulated' | 'push';
  /** Seed of the simulated feed's random walk; null: one that belongs to the data directory. */
  readonly feedSeed: number | null;
  readonly clock: 'system' | 'manual';
  readonly demo: boolean;
  readonly houseCapitalCents: number;
  /** null: no limits. */
  readonly rateLimits: RateLimitSettings | null;
  /** Addresses or ranges of them. */
  readonly trustedProxies: readonly string[];
  readonly durability: 'fsync' | 'os';
  /** A snapshot is due after so many commands, and after so long, whichever is first. */
  readonly snapshotCommands: number;
  readonly snapshotEveryMs: number;
  /** How many of the newest snapshots stay. */
  readonly snapshotsKept: kept.SnapshotsKept;
  /** A segment of the journal that has grown to this is sealed, and the next begins. */
  readonly segmentBytesMax: number;
  /** Sealed segments that are older and covered by snapshot and archive go, in milliseconds; null: all stay. */
  readonly retentionMs: number | null;
  readonly logLevel: LogLevel;
  readonly rulesOverrides: RulesOverrides;
}

/** Everything that is wrong with the configuration, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly mistakes: readonly string[]) {
    super(
      `the configuration has ${mistakes.length} mistake(s):\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    );
  }
}

/** What is expected of a value that a parser does not take. */
class Expected extends Error {}
type Parser<T> = (text: string) => T;

const FEED_SEED_MAX = 0xffff_ffff;
const SNAPSHOT_COMMANDS_MAX = 1_000_000_000_000;
const WEEK_MINUTES = 7 * 24 * 60;
const SEGMENT_MIB_MAX = 64 * 1024;
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const RETENTION_UNITS_MS: Readonly<Record<string, number>> = { h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };
/** Half of what may ever be deposited: the other half is for accounts. */
const HOUSE_CAPITAL_CENTS_MAX = AMOUNT_CENTS_MAX / 2;

/** Reads one variable after the other and keeps every mistake. */
class Reader {
  readonly mistakes: string[] = [];
  readonly known: string[] = [];

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  read<T>(name: string, fallback: T, parse: Parser<T>): T {
    this.known.push(name);
    const text = this.env[name];
    if (text === undefined) return fallback;
    try {
      return parse(text.trim());
    } catch (error) {
      if (!(error instanceof Expected)) throw error;
      const shown = name === 'TOTE_OPERATOR_TOKEN' ? 'its value' : JSON.stringify(text);
      this.mistakes.push(`${name}: ${shown} is not valid; expected ${error.message}`);
      return fallback;
    }
  }

  refuseUnknownNames(): void {
    for (const name of Object.keys(this.env).sort()) {
      if (!name.startsWith('TOTE_') || this.known.includes(name)) continue;
      const near = nearest(name, this.known);
      this.mistakes.push(`${name}: no such variable${near === null ? '' : `; did you mean ${near}?`}`);
    }
  }
}

const port: Parser<number> = (text) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new Expected('a port number from 0 (any free port) to 65535');
  }
  return Number(text);
};

const host: Parser<string> = (text) => {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)) {
    throw new Expected('an IP address or a host name');
  }
  return text;
};

const path: Parser<string> = (text) => {
  if (text === '' || text.includes('\0')) throw new Expected('a path');
  return text;
};

const token: Parser<string> = (text) => {
  if (!/^[\x21-\x7e]{8,255}$/.test(text)) throw new Expected('8 to 255 visible ASCII characters');
  return text;
};

function oneOf<T extends string>(...choices: readonly T[]): Parser<T> {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new Expected(`one of ${choices.join(', ')}`);
    return found;
  };
}

const feed: Parser<'simulated' | 'push'> = (text) => {
  if (text === 'hermes') {
    throw new Expected('simulated or push: the feed "hermes" is not available in this version');
  }
  return oneOf('simulated', 'push')(text);
};

const feedSeed: Parser<number | null> = (text) => {
  if (!/^\d{1,10}$/.test(text) || Number(text) > FEED_SEED_MAX) {
    throw new Expected(`a whole number from 0 to ${FEED_SEED_MAX}`);
  }
  return Number(text);
};

/** A whole number, with or without commas between thousands. */
const snapshotsKept: Parser<kept.SnapshotsKept> = (text) => {
  const parsed = kept.parseSnapshotsKept(text);
  if (parsed === null) throw new Expected(kept.SNAPSHOTS_KEPT_EXPECTED);
  return parsed;
};

function whole(min: number, max: number): Parser<number> {
  return (text) => {
    const wellFormed = /^(\d{1,15}|\d{1,3}(,\d{3}){1,4})$/.test(text);
    const count = wellFormed ? Number(text.replaceAll(',', '')) : -1;
    if (count < min || count > max) throw new Expected(`a whole number from ${min} to ${max}`);
    return count;
  };
}

const retention: Parser<number | null> = (text) => {
  if (text === 'all') return null;
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  const unitMs = RETENTION_UNITS_MS[unit ?? ''];
  if (unitMs === undefined) throw new Expected('"all", or how long, in hours or days: 12h, 30d');
  return Number(count) * unitMs;
};

/** Dollars with at most two decimals, with or without commas between thousands. */
const dollars: Parser<number> = (text) => {
  const wellFormed = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(text);
  const cents = wellFormed ? centsOfDollars(Number(text.replaceAll(',', ''))) : null;
  if (cents === null) {
    throw new Expected('an amount in dollars with at most two decimals, such as 1,000,000.00');
  }
  if (cents > HOUSE_CAPITAL_CENTS_MAX) throw new Expected('at most 5,000,000,000,000.00');
  return cents;
};

const rateLimits: Parser<RateLimitSettings | null> = (text) => {
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
  return { ...DEFAULT_RATE_LIMITS, ...limits };
};

const addresses: Parser<readonly string[]> = (text) => {
  if (text === '' || text === 'none') return [];
  const list = text.split(',').map((address) => address.trim());
  if (list.some((address) => parseAddressRange(address) === null)) {
    throw new Expected('IP addresses or ranges (10.0.0.0/8) separated by commas, or "none"');
  }
  return list;
};

const rulesFile: Parser<RulesOverrides> = (text) => {
  const result = readRulesOverrides(path(text));
  if (!result.success) throw new Expected(`a JSON file of rules; ${result.mistakes.join('; ')}`);
  return result.overrides;
};

/** The configuration that `env` describes; throws `ConfigError` with every mistake in it. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const from = new Reader(env);
  const config: Config = {
    host: from.read('TOTE_HOST', '127.0.0.1', host),
    port: from.read('TOTE_PORT', 8080, port),
    operatorHost: from.read('TOTE_OPERATOR_HOST', '127.0.0.1', host),
    operatorPort: from.read('TOTE_OPERATOR_PORT', 8081, port),
    operatorToken: from.read<string | null>('TOTE_OPERATOR_TOKEN', null, token),
    dataDir: from.read('TOTE_DATA_DIR', './data', path),
    feed: from.read('TOTE_FEED', 'simulated', feed),
    feedSeed: from.read('TOTE_FEED_SEED', null, feedSeed),
    clock: from.read('TOTE_CLOCK', 'system', oneOf('system', 'manual')),
    demo: from.read('TOTE_DEMO', '1', oneOf('0', '1')) === '1',
    houseCapitalCents: from.read('TOTE_HOUSE_CAPITAL', 1_000_000_00, dollars),
    rateLimits: from.read('TOTE_RATE_LIMITS', DEFAULT_RATE_LIMITS, rateLimits),
    trustedProxies: from.read('TOTE_TRUSTED_PROXIES', [], addresses),
    durability: from.read('TOTE_DURABILITY', 'fsync', oneOf('fsync', 'os')),
    snapshotCommands: from.read('TOTE_SNAPSHOT_COMMANDS', 1_000_000, whole(1, SNAPSHOT_COMMANDS_MAX)),
    snapshotEveryMs: from.read('TOTE_SNAPSHOT_MINUTES', 15, whole(1, WEEK_MINUTES)) * MINUTE_MS,
    snapshotsKept: from.read('TOTE_SNAPSHOTS_KEPT', kept.DEFAULT_SNAPSHOTS_KEPT, snapshotsKept),
    segmentBytesMax: from.read('TOTE_SEGMENT_MIB', 256, whole(1, SEGMENT_MIB_MAX)) * MIB,
    retentionMs: from.read('TOTE_RETENTION', null, retention),
    logLevel: from.read('TOTE_LOG_LEVEL', 'info', oneOf(...LOG_LEVELS)),
    rulesOverrides: from.read('TOTE_RULES_FILE', NO_OVERRIDES, rulesFile),
  };
  from.refuseUnknownNames();
  if (config.port !== 0 && config.port === config.operatorPort && config.host === config.operatorHost) {
    from.mistakes.push('TOTE_OPERATOR_PORT: is the same as TOTE_PORT; expected a port of its own');
  }
  if (from.mistakes.length > 0) throw new ConfigError(from.mistakes);
  return config;
}
