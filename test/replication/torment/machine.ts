/**
 * A machine of an exchange under torment: its process with a supervisor, its links to NATS, and a disk that can be
 * filled.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../../support/http/client.js';
import type { LinkProxy } from '../../support/link-proxy.js';
import { removeDataDir } from '../../support/processes/server.js';
import { isAvailable } from '../../support/programs.js';
import type { NatsCluster } from '../../support/replication/nats.js';
import { event, type Machine, startMachine, TOKEN } from '../../support/replication/replicated.js';

const MIB = 1024 * 1024;
const DISK_MIB = 4_096;
const FULL_DISK_MIB = 100;
/** No process may end with these, whatever was done to it. */
const FAULTS = /replay_mismatch|journal_corrupt|diverged|damaged|AssertionError|TypeError/;
/** The log has lost messages. */
const LOSS = /replication_went_back|the log ends at command/;
const LEASE_SECONDS = '2';

export const CAN_FILL_DISKS = isAvailable('mount');

export class Disk {
  /** Stays at the exit: after a failure it is all that tells. */
  readonly path = mkdtempSync(join(process.env['TEST_DISK_FOLDER'] ?? tmpdir(), 'tote-torment-'));

  constructor(readonly canFill: boolean) {
    if (canFill) this.#mount(DISK_MIB, []);
  }

  fill(): void {
    const { blocks, bavail, bsize } = statfsSync(this.path);
    const usedMib = Math.ceil(((blocks - bavail) * bsize) / MIB);
    this.#mount(usedMib + FULL_DISK_MIB, ['remount']);
  }

  clear(): void {
    this.#mount(DISK_MIB, ['remount']);
  }

  remove(): void {
    if (this.canFill) spawnSync('umount', ['--lazy', this.path]);
    removeDataDir(this.path);
  }

  #mount(sizeMib: number, options: readonly string[]): void {
    const how = [...options, `size=${sizeMib}m`, 'mode=700'].join(',');
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', how, 'tmpfs', this.path]);
    assert.equal(status, 0, String(stderr));
  }
}

export class Supervised {
  machine: Machine;
  isOver = false;
  readonly #ended: Promise<void>;
  #hasSeenLoss = false;

  constructor(
    readonly node: string,
    readonly disk: Disk,
    /** To each server of NATS. */
    readonly links: readonly LinkProxy[],
    private readonly nats: NatsCluster,
  ) {
    this.machine = this.#start();
    this.#ended = this.#supervise();
    // `end` tells of a failure, and `failed` at once.
    this.#ended.catch(() => undefined);
  }

  /** Rejects when a process has ended as none may; never resolves before `end`. */
  get failed(): Promise<void> {
    return this.#ended;
  }

  /** One of its processes has found messages missing in the log. */
  get hasSeenLoss(): boolean {
    return this.#hasSeenLoss || LOSS.test(this.machine.run.stderr);
  }

  #start(): Machine {
    const servers = this.links.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const { node, nats } = this;
    const env = { TOTE_REPLICATION: `nats://${servers}`, TOTE_LEASE_SECONDS: LEASE_SECONDS };
    return startMachine({ nats, node, dataDir: this.disk.path, env });
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const { code, stderr } = await this.machine.run.ended;
      assert.doesNotMatch(stderr, FAULTS, `${this.node} ended with ${code}`);
      this.#hasSeenLoss ||= LOSS.test(stderr);
      if (this.isOver) return;
      this.machine = this.#start();
    }
  }

  /** Also of a process started again. */
  async following(): Promise<void> {
    for (;;) {
      const { run } = this.machine;
      const seen = await event(run, 'following').catch(() => null);
      if (seen !== null && this.machine.run === run && run.isRunning) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The last command in its engine; 0 while its process does not follow. */
  async sequence(): Promise<number> {
    try {
      const { operatorUrl } = await event(this.machine.run, 'standby_listening');
      const operator = new Client(`${operatorUrl}/operator/v1`, { Authorization: `Bearer ${TOKEN}` });
      return (await operator.get<{ sequence: number }>('/status')).data.sequence;
    } catch {
      return 0;
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.isOver = true;
    this.machine.run.signal('SIGCONT');
    this.machine.run.signal(signal);
    await this.#ended;
  }

  async abandon(): Promise<void> {
    await this.end('SIGKILL').catch(() => undefined);
    for (const link of this.links) link.close();
  }
}
