/** Servers with a replicated log, for tests: two machines of one exchange, each with its own directory. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsCluster } from './nats.js';
import { type Run, Server } from './server.js';

export const TOKEN = 'token-of-both-machines';

export interface MachineOptions {
  readonly nats: NatsCluster;
  readonly node: string;
  readonly role?: 'leader' | 'standby' | 'auto';
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that leads at once, or later. */
export interface Machine {
  readonly run: Run;
  /** Resolves once it leads and serves. */
  readonly leading: Promise<Server>;
}

export function startMachine({ nats, node, role = 'auto', dataDir, env = {} }: MachineOptions): Machine {
  let run: Run | null = null;
  const leading = Server.start({
    ...(dataDir === undefined ? {} : { dataDir }),
    onRun: (started) => {
      run = started;
    },
    env: {
      TOTE_REPLICATION: nats.url,
      TOTE_NODE: node,
      TOTE_ROLE: role,
      TOTE_LEASE_SECONDS: '2',
      TOTE_LOG_LEVEL: 'info',
      TOTE_OPERATOR_TOKEN: TOKEN,
      ...env,
    },
  });
  // A standby may be ended before it leads.
  leading.catch(() => undefined);
  if (run === null) throw new Error('the process was started');
  return { run, leading };
}

/** All machines of an exchange have one master secret. */
export function shareSecret(from: string, to: string): void {
  copyFileSync(join(from, 'master-secret'), join(to, 'master-secret'));
}

/** Resolves once the log of the process has this event, with its line. */
export function event(run: Run, name: string): Promise<Record<string, unknown>> {
  return run.findInErrors((stderr) =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['event'] === name),
  );
}
