/** Starts a bare server (bare-server.ts) in a process of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { ServerProcess } from '../host/server-process.js';
import { captureAnswer, type WireAnswer } from '../load/answer.js';
import { expect } from '../tote/audit.js';
import type { BareConfig, FromBare } from './bare-config.js';

const START_MS_MAX = 10_000;
const SCRIPT = fileURLToPath(new URL('./bare-server.js', import.meta.url));

export interface BareServer {
  readonly process: ServerProcess;
  readonly port: number;
}

/** `dir` is for the server's configuration and log. */
export async function startBare(config: BareConfig, dir: string, core: number | null): Promise<BareServer> {
  const configFile = join(dir, 'bare.json');
  writeFileSync(configFile, JSON.stringify(config));
  const server = ServerProcess.node(SCRIPT, [configFile], { core, logFile: join(dir, 'bare.log') });
  const port = await server.receive((message) => (isFromBare(message) ? message.port : null), START_MS_MAX);
  return { process: server, port };
}

/** Throws unless the journal of a bare server contains as many orders, and bytes of orders, as it answered. */
export function auditCommitted(
  { file, commandBytes }: NonNullable<BareConfig['commit']>,
  answered: number,
): void {
  const database = new Database(file, { readonly: true });
  try {
    const { orders, bytes } = database
      .prepare<[], { orders: number; bytes: number }>(
        'SELECT sum(last_seq - first_seq + 1) AS orders, sum(length(commands)) AS bytes FROM batches',
      )
      .get() ?? { orders: 0, bytes: 0 };
    expect('bare: orders in the journal', orders, answered);
    expect('bare: bytes of orders in the journal', bytes, answered * commandBytes);
  } finally {
    database.close();
  }
}

/** Throws unless the answer to `request` has as many bytes as `original`, with which it is compared. */
export async function expectAsLarge(port: number, request: string, original: WireAnswer): Promise<void> {
  const { bytes, status } = await captureAnswer('127.0.0.1', port, request);
  if (bytes !== original.bytes || status !== original.status) {
    throw new Error(
      `a bare handler answers ${status} in ${bytes} bytes, the server ${original.status} in ${original.bytes}`,
    );
  }
}

function isFromBare(message: unknown): message is FromBare {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'listening';
}
