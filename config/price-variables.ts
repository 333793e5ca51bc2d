/** The variables about prices. */
import { TIME_FRAMES } from '../engine/model/domain.js';
import { optional, secret, someOf, variable } from './config-values.js';
import { apiKey, feed, holidays, httpUrl, socketUrl, volatilities } from './price-values.js';

/** By field of the configuration, in the order of docs/ops/configuration.md. */
export const PRICE_VARIABLES = {
  feed: optional(
    'TOTE_FEED',
    [null, "the directory's own; simulated in a new one"],
    feed,
    '`simulated`, a random walk; `push`, through the operator API; `hermes`, `coinbase`, or both in this order: [live prices](prices.md)',
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
  hermesApiKey: secret(
    'TOTE_HERMES_API_KEY',
    [null, 'none'],
    apiKey,
    'its key, sent as `Authorization: Bearer`. The service at the default address needs one',
  ),
  coinbaseUrl: variable(
    'TOTE_COINBASE_URL',
    'wss://ws-feed.exchange.coinbase.com/',
    socketUrl,
    "Coinbase Exchange's public feed; `wss`, or `ws` on this machine",
  ),
  closures: variable(
    'TOTE_HOLIDAYS_FILE',
    'none',
    holidays,
    'JSON files, separated by commas, with [holidays and early ends](prices.md#market-hours) of metals and currency pairs',
  ),
  lateFrames: variable(
    'TOTE_LATE_FRAMES',
    'none',
    someOf(...TIME_FRAMES),
    'time frames, separated by commas, that take orders [however late](prices.md#late-prices) live prices are',
  ),
  volatility: variable(
    'TOTE_VOLATILITY',
    'usual',
    volatilities,
    'how much prices move in a year, such as `BTC=0.5,ETH=0.7`: [quotes](../economics.md#how-the-house-quotes) start from it. Others keep their defaults',
  ),
} as const;
