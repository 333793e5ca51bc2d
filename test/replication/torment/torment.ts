/**
 * Two machines and three NATS servers under load, while one thing after the other is killed, stopped, cut off, filled
 * or started again, by the seed. After each change of leaders every acknowledged order is there, once, and no money
 * is lost. At the end both journals are the log's, a replay of each comes to its digests, and every acknowledged
 * order stands in an epoch that its acknowledger led, alone.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import { checkConservation } from '../../support/api/api-client-sandbox.js';
import { askUntil } from '../../support/ask-until.js';
import type { Client } from '../../support/http/client.js';
import { LinkProxy } from '../../support/link-proxy.js';
import { toteText } from '../../support/processes/cli.js';
import type { Bettor, Server } from '../../support/processes/server.js';
import { Rng } from '../../support/reference/random/rng.js';
import { historyOf, type LogHistory } from '../../support/replication/log-history.js';
import { NatsCluster } from '../../support/replication/nats.js';
import { batchesOf, event, shareSecrets } from '../../support/replication/replicated.js';
import { ATTACKS, DISTURBANCES, type Fault, LONE_ATTACKS } from './faults.js';
import { CAN_FILL_DISKS, Disk, Supervised } from './machine.js';

const BETTORS_AT_ONCE = 4;
/** With one bettor, and on one day of the manual clock. */
const TAKEOVERS_OF_BETTOR = 20;
const DISTURBED_MS_MAX = 1_500;
const ENDING_MS_MAX = 10_000;
const ROUND_MS = 5 * 60_000;
const MARKETS = ['BTC_ONE_DAY', 'BTC_FIVE_MINUTES'] as const;

/** Both sides in turn, so that a round never owes too much on one. */
const orderOf = (at: number): string =>
  JSON.stringify({ marketId: MARKETS[(at >> 1) % 2], prediction: at % 2 === 0 ? 'UP' : 'DOWN', amount: 1 });

const placeNumber = (api: Client, at: number) =>
  api.send<{ bet: { id: string } }>('POST', '/orders', orderOf(at), { 'Idempotency-Key': `order-${at}` });

interface Acknowledged {
  readonly betId: string;
  readonly node: string;
  readonly pid: number;
  readonly epoch: number;
}

interface Leader {
  readonly server: Server;
  readonly supervised: Supervised;
}

export interface TormentReport {
  readonly takeovers: number;
  readonly acknowledged: number;
  readonly batches: number;
  readonly faults: ReadonlyMap<string, number>;
  /** From an attack until another machine served, in rising order. */
  readonly gapsMs: readonly number[];
}

export class Torment {
  readonly #acknowledged = new Map<number, Acknowledged>();
  readonly #faults = new Map<string, number>();
  readonly #gapsMs: number[] = [];
  readonly #rng: Rng;
  #orders = 0;
  #bettor: Bettor | null = null;
  #isOver = false;

  private constructor(
    private readonly machines: readonly [Supervised, Supervised],
    private readonly nats: NatsCluster,
    private readonly seed: number,
  ) {
    this.#rng = new Rng(seed);
  }

  static async start(seed: number): Promise<Torment> {
    const nats = await NatsCluster.start({ hasLinks: true });
    const machine = async (node: string, disk: Disk): Promise<Supervised> => {
      const ports = nats.servers.map((server) => Number(server.split(':')[1]));
      const links = await Promise.all(ports.map((port) => LinkProxy.open(port)));
      return new Supervised(node, disk, links, nats);
    };
    // One has a real disk, so that commits are under way when it dies; the other one has a disk that can be filled.
    const a = await machine('a', new Disk(false));
    await a.machine.leading;
    const disk = new Disk(CAN_FILL_DISKS);
    shareSecrets(a.disk.path, disk.path);
    return new Torment([a, await machine('b', disk)], nats, seed);
  }

  async run(takeovers: number, onTakeover: (line: string) => void): Promise<TormentReport> {
    const failed = Promise.race(
      this.machines.map((machine) => machine.failed.then(() => new Promise<never>(() => undefined))),
    );
    const ended = this.#takeovers(takeovers, onTakeover).then(() => this.#checkHistory());
    const batches = await Promise.race([ended, failed]);
    const gapsMs = this.#gapsMs.sort((one, other) => one - other);
    return { takeovers, acknowledged: this.#acknowledged.size, batches, faults: this.#faults, gapsMs };
  }

  async remove(): Promise<void> {
    await this.abandon();
    for (const { disk } of this.machines) disk.remove();
    await this.nats.remove();
  }

  /** Leaves the files in the folders that it returns. */
  async abandon(): Promise<readonly string[]> {
    await Promise.all(this.machines.map((machine) => machine.abandon()));
    return [...this.machines.map(({ disk }) => disk.path), await this.nats.end()];
  }

  async #takeovers(takeovers: number, onTakeover: (line: string) => void): Promise<void> {
    for (let takeover = 0; takeover < takeovers; takeover++) {
      const isNew = takeover % TAKEOVERS_OF_BETTOR === 0;
      const leader = await this.#withLeader(({ server }) =>
        isNew ? this.#newBettor(server) : Promise.resolve(),
      );
      await this.#takeover(leader, must(this.#bettor, 'a bettor'), (line) =>
        onTakeover(`${takeover + 1}: ${line}`),
      );
    }
  }

  async #newBettor(server: Server): Promise<void> {
    await server.toNextDay({ BTC: 50_000 });
    this.#bettor = await server.createBettor({ balance: 1_000_000 });
  }

  async #takeover(fallen: Leader, bettor: Bettor, say: (line: string) => void): Promise<void> {
    const before = this.#acknowledged.size;
    const enough = before + 20 + this.#rng.below(40);
    const load = Array.from({ length: BETTORS_AT_ONCE }, () => this.#bet(fallen, bettor));
    while (this.#acknowledged.size < enough && fallen.server.run.isRunning) await pause(10);
    const { names, ends, beganMs } = await this.#attack(fallen);
    const told = names.join(', ');
    say(told);
    await this.#leaderOtherThan(fallen.server);
    const gapMs = performance.now() - beganMs;
    this.#gapsMs.push(gapMs);
    for (const end of ends) end();
    await fallen.server.run.ended;
    await Promise.all(load);
    say(`after ${Math.round(gapMs)} ms another one leads`);
    const recent = [...this.#acknowledged].slice(before);
    await this.#withLeader(async ({ server }) => {
      await server.push({ BTC: 50_000 });
      for (const [at, { betId }] of recent) {
        const again = await placeNumber(server.api(bettor.secret), at);
        const where = `seed ${this.seed}, ${told}, order ${at}: ${again.text}`;
        assert.equal(again.status, 201, where);
        assert.equal(again.data.bet.id, betId, where);
      }
      await server.advance(ROUND_MS);
      await server.push({ BTC: 50_000 });
      await checkConservation(server.operator);
    });
    await fallen.supervised.following();
  }

  async #attack({ server, supervised }: Leader) {
    const standby = this.#otherThan(supervised);
    const scene = { server, leader: supervised, standby, nats: this.nats, rng: this.#rng };
    const names: string[] = [];
    const ends: (() => void)[] = [];
    const begin = async (faults: Readonly<Record<string, Fault>>): Promise<void> => {
      for (;;) {
        const [name, fault] = this.#rng.pick(Object.entries(faults));
        const end = await fault(scene);
        if (end === null) continue;
        ends.push(end);
        names.push(name);
        this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1);
        return;
      }
    };
    const isDisturbed = this.#rng.below(2) === 0;
    if (isDisturbed) {
      await begin(DISTURBANCES);
      await pause(this.#rng.below(DISTURBED_MS_MAX));
    }
    const beganMs = performance.now();
    await begin(isDisturbed ? ATTACKS : { ...ATTACKS, ...LONE_ATTACKS });
    return { names, ends, beganMs };
  }

  async #bet({ server, supervised }: Leader, bettor: Bettor): Promise<void> {
    const api = server.api(bettor.secret);
    const { node } = supervised;
    const { epoch } = (await event(server.run, 'leading')) as { epoch: number };
    const { pid } = server.run;
    while (!this.#isOver) {
      const at = this.#orders++;
      try {
        const { status, data } = await placeNumber(api, at);
        if (status === 201) this.#acknowledged.set(at, { betId: data.bet.id, node, pid, epoch });
        else await pause(10);
      } catch {
        return;
      }
    }
  }

  /** Leads and serves, in another process than that of `not`. */
  async #leaderOtherThan(not: Server | null): Promise<Leader> {
    for (;;) {
      const serving = this.machines.map(async (supervised) => {
        const server = await supervised.machine.leading.catch(() => null);
        const isOther = server !== null && server !== not && server.run.isRunning;
        // An earlier leader never settles the race.
        return isOther ? { server, supervised } : new Promise<never>(() => undefined);
      });
      const found = await Promise.race([...serving, pause(200, null)]);
      if (found !== null) return found;
    }
  }

  /** Again if the leader ends meanwhile: links that come back may change the leader. */
  async #withLeader(act: (leader: Leader) => Promise<void>): Promise<Leader> {
    for (;;) {
      const leader = await this.#leaderOtherThan(null);
      try {
        await act(leader);
        return leader;
      } catch (error) {
        const ended = await Promise.race([leader.server.run.ended, pause(ENDING_MS_MAX, null)]);
        if (ended === null) throw error;
      }
    }
  }

  #otherThan(one: Supervised): Supervised {
    const other = this.machines.find((machine) => machine !== one);
    return must(other, 'the other machine');
  }

  /**
   * The machine that does not lead has all that the leader has. Commands that its journal alone had are taken back by then:
   * until they are compared with the log its engine takes nothing, and the leader has far more commands by now.
   */
  async #catchUp(): Promise<void> {
    await this.#withLeader(async ({ server, supervised }) => {
      const { sequence } = (await server.operator.get<{ sequence: number }>('/status')).data;
      const standby = this.#otherThan(supervised);
      await askUntil(
        () => standby.sequence(),
        (taken) => taken >= sequence || !server.run.isRunning,
      );
      assert.ok(server.run.isRunning, 'the leader goes on');
    });
  }

  async #checkHistory(): Promise<number> {
    this.#isOver = true;
    await this.#catchUp();
    for (const machine of this.machines) machine.isOver = true;
    for (const machine of this.machines) await machine.end('SIGTERM');
    const journals = this.machines.map(({ disk }) => batchesOf(disk.path));
    const longest = Math.max(...journals.map(({ length }) => length));
    const { leaders, batches } = await historyOf(this.nats);
    assert.ok(Math.max(...leaders.keys()) > this.#gapsMs.length, 'each takeover is an epoch');
    this.#checkAcknowledged(leaders, batches);
    const rows = batches.map(({ row }) => row);
    for (const own of journals) assert.deepEqual(own, rows.slice(0, own.length), `seed ${this.seed}`);
    for (const { disk } of this.machines) await toteText(['verify', disk.path]);
    assert.equal(longest, rows.length, 'whoever led last has all of the log');
    return rows.length;
  }

  /**
   * Each acknowledged bet stands once, in its acknowledger's epoch, or, if NATS has lost it, in that of its new
   * publisher.
   */
  #checkAcknowledged(leaders: LogHistory['leaders'], batches: LogHistory['batches']): void {
    const orders = batches.flatMap(({ row, epoch }) =>
      (JSON.parse(row.commands) as [string][]).filter(([kind]) => kind === 'placeOrder').map(() => epoch),
    );
    const acknowledgers = new Map<number, number>();
    const bets = new Set<string>();
    const hasLost = this.machines.some((machine) => machine.hasSeenLoss);
    for (const { betId, node, pid, epoch } of this.#acknowledged.values()) {
      const where = `seed ${this.seed}: ${betId}`;
      const stands = must(orders[Number(betId.slice('bet_'.length)) - 1], where);
      assert.ok(stands === epoch || (hasLost && stands > epoch), `${where} of ${epoch} stands in ${stands}`);
      if (stands === epoch) assert.equal(leaders.get(epoch), node, where);
      assert.equal(acknowledgers.get(epoch) ?? pid, pid, where);
      acknowledgers.set(epoch, pid);
      bets.add(betId);
    }
    assert.equal(bets.size, this.#acknowledged.size, 'no two orders are one bet');
  }
}
