/** Parsers for the values of variables about prices (`price-variables.ts`). */
import { YEARLY_VOLATILITY } from '../engine/host/ticks/volatility.js';
import { ASSETS, type Asset } from '../engine/model/domain.js';
import { type Closure, readClosures } from './closures.js';
import { Expected, type Parser, path, textOf } from './config-values.js';

/** Without a network, each alone. */
const LONE_FEEDS = ['simulated', 'push'] as const;
/** Over a network. */
const LIVE_FEEDS = ['hermes', 'coinbase'] as const;
type LiveFeedName = (typeof LIVE_FEEDS)[number];
export type FeedName = (typeof LONE_FEEDS)[number] | LiveFeedName;

const VOLATILITY_MIN = 0.01;
const VOLATILITY_MAX = 10;

/** For texts of `TOTE_FEED` and of the directory's setup; null if the text names no feed. */
export function feedsOf(text: string): readonly FeedName[] | null {
  const lone = LONE_FEEDS.find((name) => name === text);
  if (lone !== undefined) return [lone];
  const names = text.split(',').map((word) => LIVE_FEEDS.find((name) => name === word.trim()));
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length && new Set(known).size === known.length ? known : null;
}

export const feed: Parser<string> = (text) => {
  const names = feedsOf(text);
  if (names === null)
    throw new Expected(
      `one of ${[...LONE_FEEDS, ...LIVE_FEEDS].join(', ')}, or several of the last ${LIVE_FEEDS.length} in order of preference`,
    );
  return names.join(',');
};

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * A password in an address would be seen in every log that has it. Without TLS a key would be read on the way, and
 * prices could be changed.
 */
function serviceUrl(safe: string, plain: string): Parser<URL> {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isSafe =
      url?.protocol === `${safe}:` || (url?.protocol === `${plain}:` && LOOPBACK.includes(url.hostname));
    if (url === null || !isSafe)
      throw new Expected(`an address with ${safe}://, or with ${plain}:// on this machine`);
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      throw new Expected('an address without user, password, "?" and "#"');
    }
    return url;
  };
}
export const httpUrl = serviceUrl('https', 'http');
export const socketUrl = serviceUrl('wss', 'ws');

export const apiKey = textOf('8 to 1024 visible ASCII characters', (text) =>
  /^[\x21-\x7e]{8,1024}$/.test(text),
);

/** Separated by commas; all files count. */
export const holidays: Parser<readonly Closure[]> = (text) => {
  if (text === 'none') return [];
  return text.split(',').flatMap((name) => readClosures(path(name.trim())));
};

/** Standard deviations of a year's relative change, each asset's at most once; the others keep their usual one. */
export const volatilities: Parser<Readonly<Record<Asset, number>>> = (text) => {
  if (text === 'usual') return YEARLY_VOLATILITY;
  const given: Partial<Record<Asset, number>> = {};
  for (const part of text.split(',')) {
    const [, name, digits] = /^\s*([A-Z]+)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    const asset = ASSETS.find((known) => known === name);
    const value = Number(digits);
    if (
      asset === undefined ||
      given[asset] !== undefined ||
      !(value >= VOLATILITY_MIN && value <= VOLATILITY_MAX)
    ) {
      throw new Expected(
        `"usual", or assets of ${ASSETS.join(', ')}, each at most once, with a number from ${VOLATILITY_MIN} to ${VOLATILITY_MAX}: BTC=0.5,ETH=0.7`,
      );
    }
    given[asset] = value;
  }
  return { ...YEARLY_VOLATILITY, ...given };
};
