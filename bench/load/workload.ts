/** The requests of bots: any mix of reads and orders, refused orders, and replays. */
import { assert, must } from '../../engine/base/assert.js';
import { httpRequest, LOCAL, orderRequest, type Site } from '../client/http-request.js';
import type { Expectation, RequestTemplate } from '../client/job.js';
import { KINDS, type Kind, type Mix, READS } from '../client/kinds.js';
import { runLoad } from '../client/load.js';
import type { Audited } from '../tote/audit.js';
import type { Bettor } from '../tote/bettors.js';

export interface Workload {
  readonly templates: readonly RequestTemplate[];
  readonly expectations: readonly Expectation[];
  readonly kinds: readonly Kind[];
  readonly owners: readonly number[];
}

export const LIMIT_HEADERS = ['X-RateLimit-Limit:', 'X-RateLimit-Remaining:', 'X-RateLimit-Reset:'];
function answered(status: number, bodyStart: string, numbered = false): Expectation {
  return { status, bodyStart, numbered, headers: LIMIT_HEADERS };
}

/** `numbered` if each answer must name a different bet. */
export const placed = (numbered: boolean): Expectation =>
  answered(201, '{"success":true,"data":{"bet":{"id":"bet_', numbered);
const READ = 1;

interface MixedFor {
  readonly mix: Mix;
  readonly apiKeys: readonly string[];
  readonly marketIds: readonly string[];
  readonly stakeCents?: number;
  readonly keyPrefix?: string;
  readonly site?: Site;
  /** An order is refused unless the side's percent is close to this. */
  readonly expectedPercent?: number;
}

/** Each key asks in turn, and has every share of the mix; so have markets and both sides, so that pools stay even. */
export function mixed(wanted: MixedFor): Workload {
  const { apiKeys, marketIds, stakeCents = 100, keyPrefix = 'bench-', site = LOCAL } = wanted;
  const cycle = cycleOf(wanted.mix);
  const shareOf = (what: Kind): number => apiKeys.length * cycle.filter((kind) => kind === what).length;
  const count = marketIds.length;
  const lapsFor = (share: number, needed: number): number => (share === 0 ? 1 : Math.ceil(needed / share));
  const laps = Math.max(lapsFor(shareOf('orders'), 2 * count), lapsFor(shareOf('market'), count));
  const orders = laps * shareOf('orders');
  const guard = wanted.expectedPercent === undefined ? {} : { expectedPercent: wanted.expectedPercent };
  const kinds: Kind[] = [];
  const owners: number[] = [];
  const templates: RequestTemplate[] = [];
  let [order, read] = [0, 0];
  for (let at = 0; at < laps * cycle.length * apiKeys.length; at += 1) {
    const owner = at % apiKeys.length;
    const kind = must(cycle[(Math.floor(at / apiKeys.length) + owner) % cycle.length], 'kind');
    const apiKey = must(apiKeys[owner], 'key');
    kinds.push(kind);
    owners.push(owner);
    if (kind === 'orders') {
      const { market, prediction } = betAt(order, orders, marketIds);
      order += 1;
      const bet = { marketId: market, prediction, amount: stakeCents / 100, ...guard };
      templates.push({ ...orderRequest(apiKey, keyPrefix, bet, site), expect: 0, stakeCents });
    } else {
      const id = kind === 'market' ? must(marketIds[read++ % count], 'market') : '';
      const path = `${site.base}${READS[kind]}${id}`;
      const text = httpRequest('GET', path, [['X-API-Key', apiKey]], '', site);
      templates.push({ text, serialAt: -1, expect: READ, stakeCents: 0 });
    }
  }
  const expectations = [placed(true), answered(200, '{"success":true,"data":')];
  return { templates, expectations, kinds, owners };
}

/** Markets in turn, then sides; the rest goes in pairs. */
function betAt(order: number, orders: number, marketIds: readonly string[]) {
  const count = marketIds.length;
  const isWhole = order < orders - (orders % (2 * count));
  const market = must(marketIds[(isWhole ? order : order >> 1) % count], 'market');
  const isUp = (isWhole ? Math.floor(order / count) : order) % 2 === 0;
  return { market, prediction: isUp ? 'UP' : 'DOWN' };
}

/** The shares without a common divisor, each kind spread as evenly as possible. */
function cycleOf(mix: Mix): Kind[] {
  const shares = KINDS.flatMap((kind) => ((mix[kind] ?? 0) > 0 ? [{ kind, share: mix[kind] ?? 0 }] : []));
  assert(shares.length > 0, 'a mix has a share');
  const divisor = shares.reduce((common, { share }) => gcd(common, share), 0);
  const total = shares.reduce((sum, { share }) => sum + share, 0) / divisor;
  const credits = shares.map(() => 0);
  return Array.from({ length: total }, () => {
    for (const [at, { share }] of shares.entries()) credits[at] = (credits[at] ?? 0) + share / divisor;
    const next = credits.indexOf(Math.max(...credits));
    credits[next] = (credits[next] ?? 0) - total;
    return must(shares[next], 'share').kind;
  });
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

interface Players {
  readonly bettors: readonly Bettor[];
  readonly markets: readonly { readonly id: string }[];
}

export const workloadOf = ({ bettors, markets }: Players, mix: Mix): Workload =>
  mixed({ mix, apiKeys: bettors.map(({ apiKey }) => apiKey), marketIds: markets.map(({ id }) => id) });

export const ordersOnly = (players: Players): Workload => workloadOf(players, { orders: 1 });

/** Far from any market's percent: both sides have about 50 %. */
const FAR_PERCENT = 99;

/** Refused after most checks, and not journaled. */
export function refusedOrders({ bettors, markets }: Players): Workload {
  const workload = mixed({
    mix: { orders: 1 },
    apiKeys: bettors.map(({ apiKey }) => apiKey),
    marketIds: markets.map(({ id }) => id),
    expectedPercent: FAR_PERCENT,
  });
  const templates = workload.templates.map((order) => ({ ...order, stakeCents: 0 }));
  return { ...workload, templates, expectations: [answered(409, '{"success":false,"error":"odds_changed')] };
}

let nextFillSerial = 800_000_000_000;
const FILL_CONNECTIONS = 64;
const FILL_MS_MAX = 300_000;

export async function fill(
  port: number,
  workload: Workload,
  { bettors, acknowledged }: Audited,
  count: number,
): Promise<void> {
  const { templates, expectations } = workload;
  const result = await runLoad({
    ...{ host: '127.0.0.1', port, connections: FILL_CONNECTIONS, warmupMs: 0, measureMs: FILL_MS_MAX },
    ...{ pace: { kind: 'closed' }, requestsMax: count, templates, expectations, firstSerial: nextFillSerial },
  });
  nextFillSerial = Math.max(result.nextSerial, nextFillSerial);
  acknowledged.add(result, workload, bettors);
  const [failure] = result.failures;
  if (failure === undefined && result.sent === count) return;
  throw new Error(`${result.sent} of ${count} orders were sent; failed: ${failure?.example ?? 'none'}`);
}
