/**
 * Every `TOTE_*` environment variable, declared once: its name, default, parser, and line in README's table.
 * `config.ts` reads the environment with this table.
 */
import { availableParallelism } from 'node:os';
import { GRACE_MS } from '../../engine/host/ticks/boundary-window.js';
import { DEFAULT_JUMP_LIMITS, REFERENCE_AGE_MS_MAX } from '../../engine/host/ticks/jumps.js';
import type { Setup } from '../../engine/model/setup.js';
import { DEFAULT_RATE_LIMITS, RATE_LIMIT_NAMES } from '../limits/settings.js';
import { LOG_LEVELS } from '../log/events.js';
import {
  addresses,
  defaultGateways,
  dollars,
  feed,
  feedSeed,
  flag,
  GATEWAYS_MAX,
  host,
  hoursOrDays,
  mib,
  minutesMs,
  oneOf,
  type Parser,
  path,
  port,
  priceRatio,
  rateLimits,
  rulesFile,
  secondsMs,
  setupWords,
  snapshotsKept,
  token,
  volatilities,
  whole,
} from './config-values.js';

const NOTHING: readonly (keyof Setup)[] = [];
const SNAPSHOT_COMMANDS_MAX = 1_000_000_000_000;
const WEEK_MINUTES = 7 * 24 * 60;
const SEGMENT_MIB_MAX = 64 * 1024;
/** Every boundary in this time is kept, one a minute (`CLOSED_MAX`). */
const PAST_PRICES_SECONDS_MAX = 3_600;

export interface Variable<T> {
  readonly name: `TOTE_${string}`;
  /** The value if the variable is not set. */
  readonly unset: T;
  /** The default as README shows it. */
  readonly shownDefault: string;
  readonly read: Parser<T>;
  /** Markdown: what the variable does, and its values unless the default makes them obvious. */
  readonly help: string;
}

/** A variable whose default is given as text. */
function variable<T>(name: Variable<T>['name'], text: string, read: Parser<T>, help: string): Variable<T> {
  return { name, unset: read(text), shownDefault: text, read, help };
}

/** A variable whose default cannot be written as text: `shownDefault` says what happens if it is not set. */
function optional<T, U>(
  name: Variable<T>['name'],
  [unset, shownDefault]: readonly [unset: U, shownDefault: string],
  read: Parser<T>,
  help: string,
): Variable<T | U> {
  return { name, unset, shownDefault, read, help };
}

const shownRateLimits = RATE_LIMIT_NAMES.map(([name, field]) => `${name}=${DEFAULT_RATE_LIMITS[field]}`);

/** By field of the configuration, in the order of README's table. */
export const VARIABLES = {
  host: variable('TOTE_HOST', '127.0.0.1', host, 'public API; base path `/v1`, legacy base path `/api/v1`'),
  /** 0 takes any free port; the banner says which. */
  port: variable('TOTE_PORT', '8080', port, 'its port; 0 takes a free one, the banner says which'),
  gateways: optional(
    'TOTE_GATEWAYS',
    [defaultGateways(availableParallelism()), 'by the number of cores: 1 on two, 2 on four, 4 on eight'],
    whole(1, GATEWAYS_MAX),
    'threads that serve the public port',
  ),
  operatorHost: variable('TOTE_OPERATOR_HOST', '127.0.0.1', host, 'operator API, never on the public port'),
  operatorPort: variable('TOTE_OPERATOR_PORT', '8081', port, 'its port'),
  /** null: the token kept in the data directory, created at the first start. */
  operatorToken: optional(
    'TOTE_OPERATOR_TOKEN',
    [null, 'made at the first start, kept in `<data>/operator-token` (mode 0600)'],
    token,
    '`Authorization: Bearer`; 16 to 255 visible ASCII characters',
  ),
  dataDir: variable('TOTE_DATA_DIR', './data', path, 'one process at a time'),
  requireData: variable(
    'TOTE_REQUIRE_DATA',
    '0',
    flag,
    '`1`: refuses a directory without a journal, so that a disk that is not mounted does not look like a first start',
  ),
  /** null, here and for clock and rules: the directory's own (`setup.ts`). */
  feed: optional(
    'TOTE_FEED',
    [null, "the directory's own; simulated in a new one"],
    feed,
    '`simulated`: a random walk at realistic prices; `push`: prices come through the operator API. (`hermes` is not available in this version)',
  ),
  /** null: derived from the data directory. */
  feedSeed: optional(
    'TOTE_FEED_SEED',
    [null, "from the data directory's secret"],
    feedSeed,
    'for tests: derives the simulated walk from this number, 0 to 4294967295, instead of the secret. Anybody who sees some of its prices can then predict the others, and bet on them; the log warns',
  ),
  clock: optional(
    'TOTE_CLOCK',
    [null, "the directory's own; system in a new one"],
    oneOf('system', 'manual'),
    '`manual`: a sandbox, where only the operator API moves time',
  ),
  /** Facts of the data directory that this start may change. */
  changeSetup: optional(
    'TOTE_CHANGE_SETUP',
    [NOTHING, 'none'],
    setupWords,
    'facts of the directory that this start may change: `feed`, `clock`, `rules`, separated by commas ([below](#facts-of-a-directory))',
  ),
  /**
   * null: any. The default of a week is a compromise: few servers are down longer, and a wrong clock is often further
   * off.
   */
  gapMsMax: variable(
    'TOTE_GAP_MAX',
    '7d',
    hoursOrDays('any'),
    "the longest time since the last command, by this machine's clock: `any`, or `12h`, `30d`. After a longer one the start is refused, because rounds are settled or voided by that clock",
  ),
  pastPricesMs: variable(
    'TOTE_PAST_PRICES_SECONDS',
    String(GRACE_MS / 1_000),
    secondsMs(PAST_PRICES_SECONDS_MAX),
    'how long after a start prices for boundaries before it are accepted. A round without one is voided. Up to 3600',
  ),
  priceRatioMax: variable(
    'TOTE_PRICE_RATIO_MAX',
    String(DEFAULT_JUMP_LIMITS.ratioMax),
    priceRatio,
    'a price more than this many times the last one of its asset, or less than the last one divided by it, is refused. After 15 minutes without a price any is accepted',
  ),
  priceAgreementMs: variable(
    'TOTE_PRICE_AGREEMENT_SECONDS',
    String(DEFAULT_JUMP_LIMITS.agreementMs / 1_000),
    secondsMs(REFERENCE_AGE_MS_MAX / 1_000),
    'a price so refused is accepted once at least three later ones have agreed with it for this long, and none with the old price. Up to 900',
  ),
  volatility: variable(
    'TOTE_VOLATILITY',
    'usual',
    volatilities,
    "how much prices move, as the standard deviation of a year's relative change: `BTC=0.5,ETH=0.7`. Quotes start from it, and follow the ticks within a factor of four. Assets not named keep their defaults",
  ),
  demo: variable('TOTE_DEMO', '1', flag, 'demo account and curl line at the first start'),
  houseCapitalCents: variable(
    'TOTE_HOUSE_CAPITAL',
    '1,000,000.00',
    dollars,
    "the house's money at the first start, in USD. Every open round takes its seeds from it (default 1,000 a side)",
  ),
  /** null: no limits. */
  rateLimits: variable(
    'TOTE_RATE_LIMITS',
    shownRateLimits.join(','),
    rateLimits,
    'requests in any 60 s, or `off`; limits not named keep their defaults',
  ),
  /** Addresses or ranges of them. */
  trustedProxies: variable(
    'TOTE_TRUSTED_PROXIES',
    'none',
    addresses,
    'addresses or ranges (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-For` is trusted: [behind a proxy](docs/deployment.md)',
  ),
  durability: variable(
    'TOTE_DURABILITY',
    'fsync',
    oneOf('fsync', 'os'),
    '`os`: leave it to the operating system; a power loss may take back the newest answers',
  ),
  snapshotCommands: variable(
    'TOTE_SNAPSHOT_COMMANDS',
    '1,000,000',
    whole(1, SNAPSHOT_COMMANDS_MAX),
    'commands after which a snapshot of the whole state is written',
  ),
  snapshotEveryMs: variable(
    'TOTE_SNAPSHOT_MINUTES',
    '15',
    minutesMs(WEEK_MINUTES),
    'the same in minutes, if anything happened',
  ),
  snapshotsKept: variable(
    'TOTE_SNAPSHOTS_KEPT',
    'newest=3,all=1h,hourly=1d,daily=journal',
    snapshotsKept,
    'which snapshots are kept: the newest three, all of the last hour, the first of each hour for a day, and the first of each day (UTC) as long as the journal continues from it. Rules not named keep their defaults. Ages are `0`, `12h`, `90d`; `daily` must reach as far back as `TOTE_RETENTION`. A number alone keeps that many of the newest, and the first of each day',
  ),
  segmentBytesMax: variable(
    'TOTE_SEGMENT_MIB',
    '256',
    mib(SEGMENT_MIB_MAX),
    'size at which a segment of the journal is sealed and the next one begins',
  ),
  /** null: all are kept. */
  retentionMs: variable(
    'TOTE_RETENTION',
    'all',
    hoursOrDays('all'),
    'how long the past can be shown: `all`, or `12h`, `30d`. Older sealed segments are deleted once an earlier snapshot and the archive contain their effects',
  ),
  logLevel: variable(
    'TOTE_LOG_LEVEL',
    'info',
    oneOf(...LOG_LEVELS),
    'fatal, error, warn, info, debug, trace, silent',
  ),
  logMinutes: variable(
    'TOTE_LOG_MINUTES',
    '1',
    flag,
    '`0`: no line a minute in [the log](docs/operations.md#the-log) with orders, their times and the backlog',
  ),
  rules: optional(
    'TOTE_RULES_FILE',
    [null, "the directory's own; none in a new one"],
    rulesFile,
    'a JSON file that changes parts of the [rules](#rules); `none`: the defaults',
  ),
} as const;
