/** Starts the usual server (usual-server.ts) in a process of its own, and audits its tables afterwards. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { marketOf, timeFrameMs } from '../../engine/model/domain.js';
import { ServerProcess } from '../host/server-process.js';
import type { WireAnswer } from '../load/answer.js';
import { type Acknowledged, expect } from '../tote/audit.js';
import { BALANCE, type Bettor, CUTOFF_MS, type MarketState } from '../tote/bettors.js';
import type { FromUsual, UsualConfig } from './usual-config.js';

const START_MS_MAX = 20_000;
const SCRIPT = fileURLToPath(new URL('./usual-server.js', import.meta.url));
/** Fastify sets it by itself. */
const CONTENT_TYPE = 'content-type';

export interface UsualServer {
  readonly process: ServerProcess;
  readonly port: number;
  /** Its tables. */
  readonly file: string;
}

/** With the same keys, balances and markets as the server under measurement; `dir` is its own. */
export async function startUsual(
  bettors: readonly Bettor[],
  markets: readonly MarketState[],
  sample: WireAnswer,
  dir: string,
  { durability, core }: { readonly durability: 'fsync' | 'os'; readonly core: number | null },
): Promise<UsualServer> {
  const nowMs = Date.now();
  const file = join(dir, 'usual.sqlite');
  const config: UsualConfig = {
    file,
    durability,
    apiKeys: bettors.map(({ apiKey }) => apiKey),
    balanceCents: BALANCE * 100,
    rounds: markets.map(({ id, bettingMs }) => ({
      marketId: id,
      roundNumber: Math.floor(nowMs / timeFrameMs(marketOf(id))),
      lockTimeMs: nowMs + bettingMs + CUTOFF_MS,
    })),
    headers: sample.headers.filter(([name]) => name.toLowerCase() !== CONTENT_TYPE),
  };
  const configFile = join(dir, 'usual.json');
  writeFileSync(configFile, JSON.stringify(config));
  const server = ServerProcess.node(SCRIPT, [configFile], { core, logFile: join(dir, 'usual.log') });
  const port = await server.receive((message) => (isFromUsual(message) ? message.port : null), START_MS_MAX);
  return { process: server, port, file };
}

/** Throws if its tables differ from what it acknowledged. */
export function auditUsual(file: string, bettors: readonly Bettor[], acknowledged: Acknowledged): void {
  const database = new Database(file, { readonly: true });
  try {
    expect('usual: different bets in the answers', acknowledged.distinctBets, acknowledged.orders);
    const bets = database
      .prepare<[], { account: number; cents: number; paid: number }>(
        `SELECT a.id AS account, ${BALANCE * 100} - a.balance_cents AS paid, coalesce(sum(b.stake_cents), 0) AS cents
           FROM accounts a LEFT JOIN bets b ON b.account = a.id GROUP BY a.id`,
      )
      .all();
    expect('usual: accounts', bets.length, bettors.length);
    for (const { account, cents, paid } of bets) {
      const bettor = bettors[account - 1];
      const stakeCents = bettor === undefined ? Number.NaN : acknowledged.stakeCentsOf(bettor);
      expect(`usual: stakes of account ${account}, in cents`, cents, stakeCents);
      expect(`usual: what account ${account} paid, in cents`, paid, stakeCents);
    }
    const count = database.prepare('SELECT count(*) FROM bets').pluck().get();
    expect('usual: bets', Number(count), acknowledged.orders);
  } finally {
    database.close();
  }
}

function isFromUsual(message: unknown): message is FromUsual {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'listening';
}
