/** The bare servers (bare-server.ts), each in a process of its own: tote's references. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { must } from '../../engine/base/assert.js';
import { encodeCommand } from '../../engine/model/command-codec.js';
import { marketOf, NO_FAIR_SHARE } from '../../engine/model/domain.js';
import { freePort, isListening } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';
import { captureAnswer, type WireAnswer } from '../load/answer.js';
import type { Book } from '../load/book.js';
import type { Target } from '../load/runs.js';
import { placed } from '../load/workload.js';
import type { SuiteOptions } from '../report/section.js';
import { CountedOrders, expect } from '../tote/audit.js';
import type { BareConfig } from './messages.js';

const START_MS_MAX = 10_000;
const SCRIPT = fileURLToPath(new URL('./bare-server.js', import.meta.url));

export async function startBare(answers: Omit<BareConfig, 'port'>, dir: string, core: number | null) {
  const port = await freePort();
  const configFile = join(dir, 'bare.json');
  writeFileSync(configFile, JSON.stringify({ ...answers, port } satisfies BareConfig));
  const process = ServerProcess.node(SCRIPT, [configFile], { core, logFile: join(dir, 'bare.log') });
  await process.up(() => isListening(port), START_MS_MAX);
  return { process, port };
}

export const BARE = 'bare POST';
export const BARE_COMMIT = 'bare POST + group commit';

export interface Reference {
  readonly target: Target;
  /** Throws if the target has lost an answered order; a handler that commits nothing keeps none. */
  readonly audit: () => void;
}

/** Answers the book's orders with the bytes of its sample answer. */
export async function startPost(
  name: typeof BARE | typeof BARE_COMMIT,
  book: Book,
  { workDir, cores, durability }: SuiteOptions,
): Promise<Reference> {
  const dir = join(workDir, name === BARE ? 'bare' : 'bare-commit');
  mkdirSync(dir);
  const { orders, sample } = book;
  const commandBytes = orderBytes(book);
  const commit = name === BARE ? null : { file: join(dir, 'journal.sqlite'), commandBytes, durability };
  const { process, port } = await startBare({ gets: [], post: sample, commit }, dir, cores.server);
  await expectAsLarge(port, must(orders.templates[0], 'template').text, sample);
  const counted = new CountedOrders();
  const target: Target = {
    ...{ name, process, port },
    workload: { templates: orders.templates, expectations: [placed(false)] },
    onAnswered: (answered) => counted.addRun(answered),
  };
  return {
    target,
    audit: () => {
      if (commit !== null) auditCommitted(commit, counted);
    },
  };
}

/** Numbers have as many digits as in a run with these bettors. */
export function orderBytes({ markets, bettors }: Pick<Book, 'markets' | 'bettors'>): number {
  const market = marketOf(must(markets[0], 'market').id);
  const accounts = bettors.length;
  const digest = 0x8123_4567_89ab;
  const text = encodeCommand({
    kind: 'placeOrder',
    timeMs: Date.now(),
    account: accounts,
    key: accounts,
    market,
    side: 0,
    stakeCents: 100,
    fairShareE6: NO_FAIR_SHARE,
    expectedPercentE6: -1,
    limitOddsE4: 0,
    validUntilMs: 0,
    idempotency: { keyHigh: digest, keyLow: digest, body: digest },
    clientSeed: null,
    clientOrderId: null,
  });
  return Buffer.byteLength(text) + 1;
}

/** Throws unless the journal of a bare server contains as many orders, and bytes of orders, as it answered. */
function auditCommitted(
  { file, commandBytes }: NonNullable<BareConfig['commit']>,
  counted: CountedOrders,
): void {
  const database = new Database(file, { readonly: true });
  try {
    const { orders, bytes } = database
      .prepare<[], { orders: number; bytes: number }>(
        'SELECT sum(last_seq - first_seq + 1) AS orders, sum(length(commands)) AS bytes FROM batches',
      )
      .get() ?? { orders: 0, bytes: 0 };
    counted.expect('bare: orders in the journal', orders);
    expect('bare: bytes of orders in the journal', bytes, orders * commandBytes);
  } finally {
    database.close();
  }
}

/** Throws unless the answer to `request` has as many bytes as `original`, with which it is compared. */
export async function expectAsLarge(port: number, request: string, original: WireAnswer): Promise<void> {
  const { bytes, status } = await captureAnswer(port, request);
  if (bytes !== original.bytes || status !== original.status) {
    throw new Error(
      `a bare handler answers ${status} in ${bytes} bytes, the server ${original.status} in ${original.bytes}`,
    );
  }
}
