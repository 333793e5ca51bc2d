/**
 * The bettors on a server that runs already: the keys of a file, their accounts, and the limits that the server sets
 * them.
 */
import { readFileSync } from 'node:fs';
import { type Account, ToteClient, ToteError } from '../../client/index.js';
import { must } from '../../engine/base/assert.js';
import { orRefuse } from '../../engine/base/attempt.js';
import { type DriveRun, UsageError } from '../report/options.js';

const CALLS_AT_ONCE = 16;
/** Any other failure is the server's, or of the way to it. */
const ABOUT_KEYS: readonly number[] = [401, 403];

export type Player = Awaited<ReturnType<typeof lookUpPlayers>>[number];

/** One secret a line. Throws `UsageError` where a line is none. */
export function readKeys(file: string): string[] {
  const read = (): string => readFileSync(file, 'utf8');
  const text = orRefuse(read, (reason) => new UsageError(`--keys: ${reason}`));
  const keys = text.split('\n').flatMap((line, at) => {
    const key = line.trim();
    if (key === '' || key.startsWith('#')) return [];
    if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`--keys: line ${at + 1} of ${file} is no API key`);
    return [key];
  });
  if (keys.length === 0) throw new UsageError(`--keys: ${file} has no key`);
  const seen = new Set(keys);
  if (seen.size < keys.length) throw new UsageError(`--keys: ${file} has a key twice`);
  return keys;
}

/** Asks the server for each key's account. Throws `UsageError` where a key may not do what is planned. */
export async function lookUpPlayers(run: DriveRun, keys: readonly string[]) {
  const lookUp = async (apiKey: string, at: number) => {
    const client = new ToteClient({ url: run.url, key: apiKey });
    try {
      return { client, apiKey, account: await client.getAccount({ retryForMs: 0 }) };
    } catch (error) {
      const isOfKey = error instanceof ToteError && ABOUT_KEYS.includes(error.status);
      const whose = isOfKey ? `--keys: key ${at + 1} of ${run.keys}` : `--url: ${run.url}`;
      throw new UsageError(`${whose}: ${reasonOf(error)}`);
    }
  };
  const first = await lookUp(must(keys[0], 'key'), 0);
  refuseAddress(run, keys.length, first.account);
  return [first, ...(await inParallel(keys.slice(1), (key, at) => lookUp(key, at + 1)))];
}

export async function inParallel<T, R>(
  list: readonly T[],
  work: (element: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += CALLS_AT_ONCE) {
    const some = list.slice(at, at + CALLS_AT_ONCE);
    results.push(...(await Promise.all(some.map((element, next) => work(element, at + next)))));
  }
  return results;
}

export function reasonOf(error: unknown): string {
  if (error instanceof ToteError) return error.message;
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Random arrivals hardly ever exceed this. */
const atMost = (expected: number): number => Math.ceil(expected + 4 * Math.sqrt(expected));

function sharesOf({ mix }: DriveRun): { readonly reads: number; readonly writes: number } {
  const total = Object.values(mix).reduce((sum, share) => sum + share, 0);
  const writes = (mix.orders ?? 0) / total;
  return { reads: 1 - writes, writes };
}

interface Excess {
  readonly setting: string;
  readonly who: string;
  readonly asked: number;
  readonly limit: number;
  readonly remaining: number;
}

/** Before every key is looked up, which the address's limit may refuse. */
function refuseAddress(run: DriveRun, keys: number, { rateLimits }: Account): void {
  const asked = atMost(run.rate * Math.min(run.seconds, 60)) + 3 * keys;
  refuse(run, [{ setting: 'ip', who: 'this address', asked, ...rateLimits.ip }]);
}

/** Throws `UsageError`, which names each limit that would refuse this load. */
export function refuseExcess(run: DriveRun, players: readonly Player[]): void {
  const shares = sharesOf(run);
  const inWindow = run.rate * Math.min(run.seconds, 60);
  const perKey = inWindow / players.length;
  const accounts = byAccount(players);
  const excesses = players.flatMap(({ account: { key, rateLimits } }): Excess[] => [
    {
      ...{ setting: 'key_read', who: `each key (${key.id} for one)` },
      ...{ asked: atMost(perKey * shares.reads), ...rateLimits.keyRead },
    },
    {
      ...{ setting: 'key_write', who: `each key (${key.id} for one)` },
      ...{ asked: atMost(perKey * shares.writes), ...rateLimits.keyWrite },
    },
  ]);
  for (const [id, own] of accounts) {
    const { rateLimits } = must(own[0], 'player').account;
    const asked = atMost(perKey * own.length);
    excesses.push({ setting: 'account', who: `account ${id}`, asked, ...rateLimits.account });
  }
  refuse(run, excesses);
  for (const [id, own] of accounts) {
    const orders = atMost((run.rate * run.seconds * shares.writes * own.length) / players.length);
    for (const player of own) refuseBets(run, id, player.account, orders);
  }
}

function byAccount(players: readonly Player[]): Map<string, Player[]> {
  const accounts = new Map<string, Player[]>();
  for (const player of players) {
    const { id } = player.account;
    accounts.set(id, [...(accounts.get(id) ?? []), player]);
  }
  return accounts;
}

function refuse(run: DriveRun, excesses: readonly Excess[]): void {
  const worst = new Map<string, Excess>();
  for (const excess of excesses) {
    const isWorse = excess.asked > (worst.get(excess.setting)?.asked ?? 0);
    if (excess.asked > excess.remaining && isWorse) worst.set(excess.setting, excess);
  }
  if (worst.size === 0) return;
  const lines = [...worst.values()].map(
    ({ setting, who, asked, limit, remaining }) =>
      `  ${setting}: ${who} would send up to ${asked} in 60 seconds; the limit is ${limit}, of which ${remaining} are left`,
  );
  const settings = [...worst.values()].map(({ setting, asked }) => `${setting}=${asked}`).join(',');
  throw new UsageError(
    `The rate limits of ${run.url} would refuse this load:\n${lines.join('\n')}\n` +
      `Start the server with TOTE_RATE_LIMITS=off, or with TOTE_RATE_LIMITS=${settings}. Otherwise use more keys, or a lower --rate.`,
  );
}

const SCOPES = { reads: ['positions:read', 'markets:read'], writes: ['orders:write'] } as const;

function refuseBets(run: DriveRun, id: string, account: Account, orders: number): void {
  const wrong = (reason: string): never => {
    throw new UsageError(`Account ${id} (key ${account.key.id}) cannot take part: ${reason}`);
  };
  const { key, bets, balance, openBets, pendingOrders, frozen } = account;
  const needed = orders > 0 ? [...SCOPES.reads, ...SCOPES.writes] : SCOPES.reads;
  for (const scope of needed) if (!key.scopes.includes(scope)) wrong(`its key lacks the scope ${scope}`);
  if (orders === 0) return;
  if (frozen) wrong('it is frozen');
  if (run.stake > bets.maxStake)
    wrong(`its tier ${bets.tier} may stake ${bets.maxStake} USD on a bet, and --stake is ${run.stake}`);
  if (orders * run.stake > balance)
    wrong(`up to ${orders} orders of ${run.stake} USD are more than its balance of ${balance} USD`);
  const room = bets.maxOpenBets - openBets - pendingOrders;
  if (orders > room)
    wrong(
      `up to ${orders} orders are more than the ${room} bets that it may still open (rule openBetsMax, ${bets.maxOpenBets}): use more accounts`,
    );
}
