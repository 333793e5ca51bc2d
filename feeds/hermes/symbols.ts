/**
 * Pyth's price feeds of the assets. An id is 32 bytes that nobody can read, so a wrong one would price a market by
 * another asset without anybody noticing. Ids are therefore believed only once the service itself has said that they
 * belong to the asset's symbol.
 */
import typia, { type tags } from 'typia';
import { ASSETS, type Asset } from '../../engine/model/domain.js';

/** The id has 64 lower-case hexadecimal digits. */
export const HERMES_SYMBOLS: Readonly<Record<Asset, readonly [symbol: string, id: string]>> = {
  BTC: ['Crypto.BTC/USD', 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43'],
  ETH: ['Crypto.ETH/USD', 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace'],
  SOL: ['Crypto.SOL/USD', 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'],
  BNB: ['Crypto.BNB/USD', '2f95862b045670cd22bee3114c39763a4a08beeb663b145d283c31d7d1101c4f'],
  XRP: ['Crypto.XRP/USD', 'ec5d399846a9209f3fe5881d70aae9268c94339ff9817e8d18ff19fa05eea1c8'],
  GOLD: ['Metal.XAU/USD', '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2'],
  SILVER: ['Metal.XAG/USD', 'f2fb02c32b055c805e7238d628e5e9dadef274376114eb1f012337cabe93871e'],
  EURUSD: ['FX.EUR/USD', 'a995d00bb36a63cef7fd2c287dc105fc8f3d93779f062f09551b0af3e81ec30b'],
  GBPUSD: ['FX.GBP/USD', '84c2dde9633d93d1bcad84e7dc41c9d56578b7ec52fabedc1f335d673df0a7c1'],
  USDJPY: ['FX.USD/JPY', 'ef2c98c804ba503c6a707e38be4dfbb16683775f195b091252bf24693042fd52'],
  AUDUSD: ['FX.AUD/USD', '67a6f93030420c1c9e3fe37c1ab6b77966af82f995944a9fefce357a22854a80'],
  USDCAD: ['FX.USD/CAD', '3112b03a41c910ed446852aacf67118cb1bec67b2cd0b9a214c58cc0eaa2ecca'],
  HYPE: ['Crypto.HYPE/USD', '4279e31cc369bbcc2faf022b382b080e32a8e689ff20fbc530d2a603eb6cd98b'],
  TON: ['Crypto.TON/USD', '8963217838ab4cf5cadc172203c1f0b763fbaa45f346d8ee50ba994bbcac3026'],
};

/** The service sends an id with or without `0x`, in either case. */
export const hermesId = (sent: string): string => sent.replace(/^0x/i, '').toLowerCase();

interface ListedFeed {
  readonly id: string & tags.Pattern<'^(0[xX])?[0-9a-fA-F]{64}$'>;
  readonly attributes: { readonly symbol: string };
}
const isListedFeed = typia.createIs<ListedFeed>();

/**
 * Compares an asset's id with the service's answer about the asset's symbol. Returns why the asset may not be priced,
 * null if it may, and undefined if the answer is not such a list.
 */
export function faultOfId(asset: Asset, answer: unknown): string | null | undefined {
  const [symbol, id] = HERMES_SYMBOLS[asset];
  if (!Array.isArray(answer)) return undefined;
  const ids = answer
    .filter(isListedFeed)
    .filter(({ attributes }) => attributes.symbol === symbol)
    .map((listed) => hermesId(listed.id));
  if (ids.includes(id)) return null;
  return ids.length === 0
    ? `the service has no price feed with the symbol ${symbol}`
    : `${id} is not the service's id of ${symbol}, which is ${ids.join(', ')}`;
}

/** By id. An id that is not the asset's own leads nowhere. */
export function assetsById(faults: ReadonlyMap<Asset, string>): ReadonlyMap<string, number> {
  const sound = ASSETS.filter((asset) => !faults.has(asset));
  return new Map(sound.map((asset) => [HERMES_SYMBOLS[asset][1], ASSETS.indexOf(asset)]));
}
