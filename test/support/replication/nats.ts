/** Real NATS servers on loopback, each a process: three in a cluster, whose JetStream keeps three replicas. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type JetStreamManager, jetstream } from '@nats-io/jetstream';
import { type ConnectionOptions, connect } from '@nats-io/transport-node';
import { messageOf } from '../../../engine/base/attempt.js';
import { refuseOutdated } from '../../../persistence/replication/nats/nats-log.js';
import { askUntil } from '../ask-until.js';
import { fixedPort } from '../fixed-port.js';
import { type Direction, LinkProxy } from '../link-proxy.js';
import { started } from '../processes/server.js';
import { isAvailable } from '../programs.js';

export const NO_NATS = whyNoNats();

/** Why tests with real NATS servers are left out, or false. */
function whyNoNats(): string | false {
  if (!isAvailable('nats-server')) return 'the program nats-server is missing';
  const [version = ''] =
    /[\d.]+/.exec(execFileSync('nats-server', ['--version'], { encoding: 'utf8' })) ?? [];
  try {
    refuseOutdated(version);
    return false;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

export interface NatsOptions {
  readonly servers?: number;
  readonly payloadMax?: number;
  readonly config?: string;
  /** How clients connect, where not everybody may. */
  readonly connection?: Pick<ConnectionOptions, 'authenticator' | 'tls'>;
  /** The servers' routes to each other go over links that can be cut. */
  readonly hasLinks?: boolean;
}

interface Ports {
  readonly client: string;
  readonly cluster: string;
}

const OPPOSITE = { up: 'down', down: 'up', both: 'both' } as const;
/** Nothing listens there: servers must not tell each other, nor their clients, of ways around the links. */
const NO_ADDRESS = '127.0.0.1:1';

export class NatsCluster {
  /** By the servers at both ends: `0-1` is the way of server 0 to server 1. */
  readonly #routes = new Map<string, LinkProxy>();
  readonly #processes: (ChildProcess | null)[];

  private constructor(
    private readonly root: string,
    private readonly ports: readonly Ports[],
    private readonly connection: Pick<ConnectionOptions, 'authenticator' | 'tls'>,
  ) {
    this.#processes = ports.map(() => null);
  }

  static async start(options: NatsOptions = {}): Promise<NatsCluster> {
    const { servers = 3, payloadMax = 1_048_576, config = '', connection = {}, hasLinks = false } = options;
    const root = mkdtempSync(join(tmpdir(), 'tote-nats-'));
    const ports: Ports[] = [];
    for (let index = 0; index < servers; index++)
      ports.push({ client: await fixedPort(), cluster: await fixedPort() });
    const cluster = new NatsCluster(root, ports, connection);
    if (hasLinks) await cluster.#openLinks();
    for (const index of ports.keys()) cluster.#writeConfig(index, payloadMax, config);
    for (const index of ports.keys()) cluster.startServer(index);
    await cluster.ready();
    return cluster;
  }

  get size(): number {
    return this.ports.length;
  }

  get url(): string {
    const scheme = this.connection.tls === undefined ? 'nats' : 'tls';
    return `${scheme}://${this.ports.map(({ client }) => `127.0.0.1:${client}`).join(',')}`;
  }

  get servers(): string[] {
    return this.ports.map(({ client }) => `127.0.0.1:${client}`);
  }

  startServer(index: number): void {
    const process = spawn('nats-server', ['-c', join(this.root, `${index}.conf`)], { stdio: 'ignore' });
    this.#processes[index] = process;
    started.push(process);
  }

  signal(index: number, signal: NodeJS.Signals): void {
    this.#processes[index]?.kill(signal);
  }

  async killServer(index: number): Promise<void> {
    const process = this.#processes[index] ?? null;
    this.#processes[index] = null;
    if (process === null || process.exitCode !== null || process.signalCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  /** Copies all servers' files, between their SIGKILL and a new start. `goBack` takes the result. */
  async keepFiles(): Promise<string> {
    const kept = join(this.root, 'kept');
    await this.#restartAfter((files, index) => cpSync(files, join(kept, index), { recursive: true }));
    return kept;
  }

  /** All servers lose everything acknowledged since `keepFiles`. */
  goBack(kept: string): Promise<void> {
    return this.#restartAfter((files, index) => {
      rmSync(files, { recursive: true });
      cpSync(join(kept, index), files, { recursive: true });
    });
  }

  async #restartAfter(act: (files: string, index: string) => void): Promise<void> {
    await Promise.all(this.ports.map((_, index) => this.killServer(index)));
    for (const index of this.ports.keys()) act(join(this.root, String(index)), String(index));
    for (const index of this.ports.keys()) this.startServer(index);
    await this.ready();
  }

  /** Bytes from one server to the other vanish ('up'), or those back, or both, until `healRoutes`. */
  cutRoute(from: number, to: number, direction: Direction): void {
    this.#routes.get(`${from}-${to}`)?.cut(direction);
    this.#routes.get(`${to}-${from}`)?.cut(OPPOSITE[direction]);
  }

  healRoutes(): void {
    for (const link of this.#routes.values()) link.heal();
  }

  /** Asks again and again while JetStream elects one. */
  async streamLeader(stream: string): Promise<number> {
    const ask = () => this.#askStreamLeader(stream).catch(() => '');
    const leader = await askUntil(ask, (name) => name !== '', 100);
    return Number(leader.slice('n'.length));
  }

  #askStreamLeader(stream: string): Promise<string> {
    return this.#ask(async (manager) => (await manager.streams.info(stream)).cluster?.leader ?? '');
  }

  deleteStream(name: string): Promise<boolean> {
    return this.#ask((manager) => manager.streams.delete(name));
  }

  streamNames(): Promise<string[]> {
    return this.#ask(async (manager) => {
      const names: string[] = [];
      for await (const name of manager.streams.names()) names.push(name);
      return names.sort();
    });
  }

  async #ask<T>(question: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: this.servers, timeout: 1_000, ...this.connection });
    try {
      return await question(await jetstream(connection, { timeout: 1_000 }).jetstreamManager());
    } finally {
      await connection.close();
    }
  }

  /** Asks JetStream for as long as the test's own limit allows. */
  async ready(): Promise<void> {
    for (;;) {
      try {
        return await this.#ask(async (manager) => {
          const name = 'ready';
          await manager.streams.add({ name, subjects: [name], num_replicas: this.size, storage: 'memory' });
          await manager.streams.delete(name);
        });
      } catch {
        await pause(100);
      }
    }
  }

  async end(): Promise<string> {
    await Promise.all(this.ports.map((_, index) => this.killServer(index)));
    for (const link of this.#routes.values()) link.close();
    return this.root;
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.root, { recursive: true, force: true });
  }

  async #openLinks(): Promise<void> {
    for (const from of this.ports.keys()) {
      for (const [to, { cluster }] of this.ports.entries())
        if (from !== to) this.#routes.set(`${from}-${to}`, await LinkProxy.open(Number(cluster)));
    }
  }

  /** The other servers, for the configuration of server `index`. */
  #clusterText(index: number): string {
    const { cluster } = this.ports[index] as Ports;
    const routes = this.ports.map((ports, to) => {
      const port = this.#routes.get(`${index}-${to}`)?.port ?? ports.cluster;
      return `nats://127.0.0.1:${port}`;
    });
    const common = `name: tote, listen: "127.0.0.1:${cluster}", routes: [${routes.join(', ')}]`;
    if (this.#routes.size === 0) return `cluster { ${common} }`;
    return `cluster { ${common}, advertise: "${NO_ADDRESS}", no_advertise: true }
ping_interval: "1s"
ping_max: 2`;
  }

  #writeConfig(index: number, payloadMax: number, config: string): void {
    const { client } = this.ports[index] as Ports;
    const clustered = this.size === 1 ? '' : this.#clusterText(index);
    const text = `server_name: n${index}
listen: "127.0.0.1:${client}"
max_payload: ${payloadMax}
jetstream { store_dir: "${join(this.root, String(index))}" }
${clustered}
${config}`;
    writeFileSync(join(this.root, `${index}.conf`), text);
  }
}
