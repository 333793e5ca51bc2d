/** The kinds of requests that a mix may have. */

/** Paths; a market's id follows `market`'s. */
export const READS = {
  market: '/markets/',
  markets: '/markets',
  prices: '/prices',
  positions: '/positions',
  history: '/orders',
  account: '/account',
} as const;
export const KINDS = ['orders', ...(Object.keys(READS) as (keyof typeof READS)[])] as const;
export type Kind = (typeof KINDS)[number];
export type Mix = Partial<Readonly<Record<Kind, number>>>;

export const BOTS_MIX: Mix = { orders: 10, market: 60, markets: 20, positions: 10 };
