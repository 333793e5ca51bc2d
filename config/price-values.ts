/** Parsers for the values of variables about prices (`price-variables.ts`). */
import { YEARLY_VOLATILITY } from '../engine/host/ticks/volatility.js';
import { ASSETS, type Asset, type AssetClass, assetClassOf } from '../engine/model/domain.js';
import { readHermesId, USUAL_HERMES_IDS } from '../feeds/hermes/symbols.js';
import { type Closure, readClosures } from './closures.js';
import { Expected, type Parser, path } from './config-values.js';

/** Feeds without a network, each of them alone. */
const LONE_FEEDS = ['simulated', 'push'] as const;
/** Feeds over a network. */
const LIVE_FEEDS = ['hermes', 'coinbase'] as const;
export type LiveFeedName = (typeof LIVE_FEEDS)[number];
export type FeedName = (typeof LONE_FEEDS)[number] | LiveFeedName;

const FEED_SEED_MAX = 0xffff_ffff;
const PRICE_RATIO_MAX = 1_000;
const VOLATILITY_MIN = 0.01;
const VOLATILITY_MAX = 10;
const PERCENT_MAX = 100;
/** Half an interval of this part of the price is wide: several times what is usual while the asset trades. */
const USUAL_UNSURE_MAX: Readonly<Record<AssetClass, number>> = { CRYPTO: 0.005, METAL: 0.002, FX: 0.001 };

/** The feed or feeds that a text names, as `TOTE_FEED` does and the directory's setup keeps it; null if it names none. */
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

export const feedSeed: Parser<number | null> = (text) => {
  if (!/^\d{1,10}$/.test(text) || Number(text) > FEED_SEED_MAX) {
    throw new Expected(`a whole number from 0 to ${FEED_SEED_MAX}`);
  }
  return Number(text);
};

/** The greatest ratio of a price to the last one, or of the last one to it. */
export const priceRatio: Parser<number> = (text) => {
  const ratio = /^\d{1,4}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (!(ratio > 1) || ratio > PRICE_RATIO_MAX)
    throw new Expected(`a number above 1, up to ${PRICE_RATIO_MAX}`);
  return ratio;
};

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * The address of a service, by its protocol with TLS and without. A password in it would be seen in every log that has the
 * address. Without TLS a key would be read on the way, and prices could be changed.
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

export const apiKey: Parser<string> = (text) => {
  if (!/^[\x21-\x7e]{8,1024}$/.test(text)) throw new Expected('8 to 1024 visible ASCII characters');
  return text;
};

/** `BTC=<value>,ETH=<value>`, each asset at most once; what is not named keeps its usual value. */
function byAsset<T>(
  usual: Readonly<Record<Asset, T>>,
  readOne: (text: string) => T | null,
  expected: string,
): Parser<Readonly<Record<Asset, T>>> {
  return (text) => {
    if (text === 'usual') return usual;
    const given: Partial<Record<Asset, T>> = {};
    for (const part of text.split(',')) {
      const [, name, word = ''] = /^\s*([A-Z]+)\s*=\s*(\S+)\s*$/.exec(part) ?? [];
      const asset = ASSETS.find((known) => known === name);
      const value = readOne(word);
      if (asset === undefined || given[asset] !== undefined || value === null) {
        throw new Expected(`"usual", or assets of ${ASSETS.join(', ')}, each at most once, with ${expected}`);
      }
      given[asset] = value;
    }
    return { ...usual, ...given };
  };
}

/** Files with closures, separated by commas; all count. */
export const holidays: Parser<readonly Closure[]> = (text) => {
  if (text === 'none') return [];
  return text.split(',').flatMap((name) => {
    const result = readClosures(path(name.trim()));
    if (result.success) return result.closures;
    const mistakes = result.mistakes.join('; ');
    throw new Expected(`JSON files of closures, separated by commas, or "none"; ${name.trim()}: ${mistakes}`);
  });
};

const decimal = (text: string, min: number, max: number): number | null => {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
};

/** The standard deviation of a year's relative change, by asset. */
export const volatilities = byAsset(
  YEARLY_VOLATILITY,
  (text) => decimal(text, VOLATILITY_MIN, VOLATILITY_MAX),
  `a number from ${VOLATILITY_MIN} to ${VOLATILITY_MAX}: BTC=0.5,ETH=0.7`,
);

export const hermesIds = byAsset(USUAL_HERMES_IDS, readHermesId, '64 hexadecimal digits');

const usualUnsureMax = Object.fromEntries(
  ASSETS.map((asset) => [asset, USUAL_UNSURE_MAX[assetClassOf(asset)]]),
) as Readonly<Record<Asset, number>>;

/** Given in percent of the price; as a part of it, by asset. */
export const unsureMax = byAsset(
  usualUnsureMax,
  (text) => {
    const percent = decimal(text, 0, PERCENT_MAX);
    return percent === null ? null : percent / 100;
  },
  `a percentage from 0 to ${PERCENT_MAX}: BTC=0.2,TON=1`,
);
