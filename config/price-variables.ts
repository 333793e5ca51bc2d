/** The variables about prices: where they come from, and which are believed. */
import { GRACE_MS } from '../engine/host/ticks/boundary-window.js';
import { DEFAULT_JUMP_LIMITS, REFERENCE_AGE_MS_MAX } from '../engine/host/ticks/jumps.js';
import { optional, type Parser, secondsMs, secret, variable, whole } from './config-values.js';
import {
  apiKey,
  feed,
  feedSeed,
  hermesIds,
  holidays,
  httpUrl,
  priceRatio,
  socketUrl,
  unsureMax,
  volatilities,
} from './price-values.js';

const staleSeconds: Parser<number> = (text) => whole(1, 60)(text) * 1_000;
/** Every boundary in this time is kept, one a minute (`CLOSED_MAX`). */
const PAST_PRICES_SECONDS_MAX = 3_600;

/** By field of the configuration, in the order of README's table. */
export const PRICE_VARIABLES = {
  /** null: the directory's own (`setup.ts`). */
  feed: optional(
    'TOTE_FEED',
    [null, "the directory's own; simulated in a new one"],
    feed,
    '`simulated`: a random walk at realistic prices; `push`: prices come through the operator API; `hermes`: [live prices](docs/prices.md) of all assets from Pyth; `coinbase`: of cryptocurrencies from an exchange; `hermes,coinbase`: the second where the first fails',
  ),
  /** null: derived from the data directory. */
  feedSeed: optional(
    'TOTE_FEED_SEED',
    [null, "from the data directory's secret"],
    feedSeed,
    'for tests: derives the simulated walk from this number, 0 to 4294967295, instead of the secret. Anybody who sees some of its prices can then predict the others, and bet on them; the log warns',
  ),
  hermesUrl: {
    ...variable(
      'TOTE_HERMES_URL',
      'https://pyth.dourolabs.app/hermes',
      httpUrl,
      'the Hermes service; `https`, or `http` on this machine',
    ),
    // Some providers have the key in the path.
    isSecret: true,
  },
  /** null: none is sent. */
  hermesApiKey: secret(
    'TOTE_HERMES_API_KEY',
    [null, 'none'],
    apiKey,
    'its key, sent as `Authorization: Bearer`. The service at the default address needs one',
  ),
  hermesIds: variable(
    'TOTE_HERMES_IDS',
    'usual',
    hermesIds,
    "ids of Pyth's price feeds: `BTC=e62d...,ETH=ff61...`. Assets not named keep their defaults. Each is [compared with the service's list of symbols](docs/prices.md#ids) before it prices anything",
  ),
  unsureMax: variable(
    'TOTE_CONFIDENCE_MAX',
    'usual',
    unsureMax,
    'the widest confidence interval about a price, half of it, in percent of the price: `BTC=0.2,TON=1`. A wider one is not used. Defaults are 0.5 for cryptocurrencies, 0.2 for metals and 0.1 for currency pairs',
  ),
  coinbaseUrl: variable(
    'TOTE_COINBASE_URL',
    'wss://ws-feed.exchange.coinbase.com/',
    socketUrl,
    "Coinbase Exchange's public feed; `wss`, or `ws` on this machine",
  ),
  feedStaleMs: variable(
    'TOTE_FEED_STALE_SECONDS',
    '8',
    staleSeconds,
    'with several feeds: an asset whose feed has had no price for so long [takes the next one](docs/prices.md#several-feeds). 1 to 60',
  ),
  closures: variable(
    'TOTE_HOLIDAYS_FILE',
    'none',
    holidays,
    'JSON files, separated by commas, with [holidays and early ends](docs/prices.md#market-hours) of metals and currency pairs',
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
} as const;
