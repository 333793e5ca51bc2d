/** Two machines of one exchange with a replicated log, each with its own directory. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { LinkProxy } from '../link-proxy.js';
import { type Bettor, newDataDir, type Run, Server } from '../processes/server.js';
import { NatsCluster } from './nats.js';

export const TOKEN = 'token-of-both-machines';

interface MachineOptions {
  readonly nats: NatsCluster;
  readonly node: string;
  readonly role?: 'leader' | 'standby' | 'auto';
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly run: Run;
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

/** All machines of an exchange have one master secret, and sign with one key. */
export function shareSecrets(from: string, to: string): void {
  for (const name of ['master-secret', 'signing-keys']) copyFileSync(join(from, name), join(to, name));
}

export function event(run: Run, name: string): Promise<Record<string, unknown>> {
  return run.findInErrors((stderr) =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['event'] === name),
  );
}

const ORDER = { marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 10 };

interface PairOptions {
  /** Servers that other exchanges use, too; new ones if absent. */
  readonly nats?: NatsCluster;
  readonly stream?: string;
  /** The leader's links to the servers can be cut. */
  readonly hasLinks?: boolean;
  /** Both machines'. */
  readonly env?: Readonly<Record<string, string>>;
  /** The standby's alone. */
  readonly envB?: Readonly<Record<string, string>>;
}

export interface Pair {
  readonly nats: NatsCluster;
  readonly env: Readonly<Record<string, string>>;
  readonly links: readonly LinkProxy[];
  readonly a: Machine;
  readonly leader: Server;
  readonly b: Machine;
  readonly dirB: string;
  readonly bettor: Bettor;
}

/** `a` leads, `b` follows, and there is a bettor. */
export async function startPair(
  t: TestContext,
  { stream = 'tote', hasLinks = false, envB = {}, ...options }: PairOptions = {},
): Promise<Pair> {
  const nats = options.nats ?? (await NatsCluster.start());
  if (options.nats === undefined) t.after(() => nats.remove());
  const env = { ...options.env, TOTE_REPLICATION_STREAM: stream };
  const links = hasLinks ? await Promise.all(nats.servers.map((server) => openLink(t, server))) : [];
  const servers = links.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const ofLeader = hasLinks ? { ...env, TOTE_REPLICATION: `nats://${servers}` } : env;
  const a = startMachine({ nats, node: 'a', env: ofLeader });
  const leader = await a.leading;
  t.after(() => leader.remove());
  const dirB = newDataDir();
  shareSecrets(leader.dataDir, dirB);
  const b = startMachine({ nats, node: 'b', dataDir: dirB, env: { ...env, ...envB } });
  t.after(() => b.run.signal('SIGKILL'));
  await event(b.run, 'following');
  await leader.toNextDay({ BTC: 50_000 });
  return { nats, env, links, a, leader, b, dirB, bettor: await leader.createBettor() };
}

/** For a suite whose tests run at once: each has an exchange of its own. */
export function exchangesOnOneCluster(): (t: TestContext, options?: PairOptions) => Promise<Pair> {
  let nats: NatsCluster | null = null;
  let exchanges = 0;
  before(async () => {
    nats = await NatsCluster.start();
  });
  after(() => nats?.remove());
  return (t, options = {}) => {
    exchanges += 1;
    return startPair(t, { ...options, ...(nats !== null && { nats }), stream: `tote-${exchanges}` });
  };
}

async function openLink(t: TestContext, server: string): Promise<LinkProxy> {
  const link = await LinkProxy.open(Number(server.split(':')[1]));
  t.after(() => link.close());
  return link;
}

export const place = (server: Server, { secret }: Bettor, key: string) =>
  server
    .api(secret)
    .send<{ bet: { id: string } }>('POST', '/orders', JSON.stringify(ORDER), { 'Idempotency-Key': key });

export function batchesOf(dataDir: string) {
  const reader = new JournalReader(dataDirLayout(dataDir));
  const batches = [...reader.readBatches(0)];
  reader.close();
  return batches;
}
