/** Two machines of one exchange: a leader and its standby, whose places change. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import type { SuiteOptions } from '../report/section.js';
import { placeOf, ToteServer } from '../tote/server.js';
import type { NatsServers } from './nats-servers.js';

const LOOK_EVERY_MS = 20;
const FOLLOW_MS_MAX = 60_000;

interface LeaderStatus {
  readonly replication: {
    readonly standbys: readonly { readonly messagesBehind: number; readonly behindMs: number }[];
  };
}

interface Machine {
  readonly node: string;
  readonly server: ToteServer;
}

export class Pair {
  #leader: Machine | null = null;
  #standby: Machine | null = null;

  constructor(
    private readonly nats: NatsServers,
    private readonly options: SuiteOptions,
  ) {}

  async start(): Promise<void> {
    const { workDir } = this.options;
    for (const node of ['one', 'two'])
      mkdirSync(join(workDir, node, 'data'), { recursive: true, mode: 0o700 });
    this.#leader = await this.#launch('one');
    await this.#leader.server.ready();
    const secretOf = (node: string): string => join(workDir, node, 'data', 'master-secret');
    copyFileSync(secretOf('one'), secretOf('two'));
    this.#standby = await this.#launch('two');
    await this.followed();
  }

  get leader(): ToteServer {
    return must(this.#leader, 'a leader').server;
  }

  get ports(): readonly number[] {
    return [this.#leader, this.#standby].flatMap((machine) =>
      machine === null ? [] : [machine.server.port],
    );
  }

  /** Resolves once the standby lacks nothing. */
  async followed(): Promise<void> {
    const untilMs = performance.now() + FOLLOW_MS_MAX;
    while (performance.now() < untilMs) {
      const { standbys } = (await this.status()).replication;
      if (standbys[0]?.messagesBehind === 0) return;
      await pause(LOOK_EVERY_MS);
    }
    throw new Error('the standby does not follow');
  }

  async status(): Promise<LeaderStatus> {
    return (await this.leader.operate('GET', '/status')) as LeaderStatus;
  }

  /** Ends the leader; resolves once the standby leads and the other machine follows it. */
  async change(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const before = must(this.#leader, 'a leader');
    const successor = must(this.#standby, 'a standby');
    await Promise.all([before.server.process.stop(signal), successor.server.ready()]);
    this.#leader = successor;
    this.#standby = await this.#launch(before.node);
    await this.followed();
  }

  async #launch(node: string): Promise<Machine> {
    const workDir = join(this.options.workDir, node);
    const server = await ToteServer.launch({
      ...placeOf({ ...this.options, workDir }),
      dataDir: join(workDir, 'data'),
      env: { TOTE_REPLICATION: this.nats.url, TOTE_ROLE: 'auto', TOTE_NODE: node },
    });
    return { node, server };
  }
}
