/** Starts a bare server (bare-server.ts) in a process of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../host/server-process.js';
import type { BareConfig, FromBare } from './bare-config.js';

const START_MS_MAX = 10_000;
const SCRIPT = fileURLToPath(new URL('./bare-server.js', import.meta.url));

export interface BareServer {
  readonly process: ServerProcess;
  readonly port: number;
}

/** `dir` is the server's own: configuration and log lie there. */
export async function startBare(config: BareConfig, dir: string, core: number | null): Promise<BareServer> {
  const configFile = join(dir, 'bare.json');
  writeFileSync(configFile, JSON.stringify(config));
  const server = ServerProcess.node(SCRIPT, [configFile], { core, logFile: join(dir, 'bare.log') });
  const port = await server.receive((message) => (isFromBare(message) ? message.port : null), START_MS_MAX);
  return { process: server, port };
}

function isFromBare(message: unknown): message is FromBare {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'listening';
}
