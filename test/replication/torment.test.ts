/**
 * Two machines and three NATS servers under load, while one thing after the other is killed, stopped, cut off or started again.
 * The seed, which is printed, says what and in which order. After each change of leaders every order that was acknowledged
 * is there, once. At the end both journals are what the log has, a replay of each comes to its digests, no money is lost, and
 * every acknowledged order stands in an epoch that its acknowledger led.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '../persistence/support/journal-files.js';
import { tote } from '../support/cli.js';
import type { Client } from '../support/client.js';
import { type Direction, LinkProxy } from '../support/link-proxy.js';
import { historyOf } from '../support/log-history.js';
import { inSuiteOrAtNight } from '../support/long-run.js';
import { NatsCluster, NO_NATS } from '../support/nats.js';
import { batchesOf, event, type Machine, shareSecret, startMachine } from '../support/replicated.js';
import { type Bettor, newDiskDir, removeDataDir, type Server } from '../support/server.js';

const TAKEOVERS = inSuiteOrAtNight(4, 200);
const SEED = Number(process.env['TOTE_TEST_SEED'] ?? inSuiteOrAtNight(7, Date.now() % 1_000_000));
const BETTORS_AT_ONCE = 4;
const ROUND_MS = 5 * 60_000;

/** The body of order number `at`: both sides in turn, so that a round never owes too much on one. */
const orderOf = (at: number): string =>
  JSON.stringify({ marketId: 'BTC_ONE_DAY', prediction: at % 2 === 0 ? 'UP' : 'DOWN', amount: 1 });

type Attack =
  | 'kill'
  /** Stopped until another one leads, then continued. */
  | 'stop'
  | 'handOver'
  /** Its links to all servers. */
  | 'cut'
  /** A server of NATS, under the same load; then the leader. */
  | 'killServer';
const ATTACKS: readonly Attack[] = ['kill', 'stop', 'handOver', 'cut', 'killServer'];
const DIRECTIONS: readonly Direction[] = ['up', 'down', 'both'];

const placeNumber = (api: Client, at: number) =>
  api.send<{ bet: { id: string } }>('POST', '/orders', orderOf(at), { 'Idempotency-Key': `order-${at}` });

/** An order that was acknowledged: by which machine. */
interface Acknowledged {
  readonly betId: string;
  readonly node: string;
}

/** A machine with its supervisor: whenever its process ends, it is started again. */
class Supervised {
  machine: Machine;
  isOver = false;
  #ended: Promise<void>;

  constructor(
    readonly node: string,
    readonly dataDir: string,
    readonly links: readonly LinkProxy[],
    private readonly nats: NatsCluster,
  ) {
    this.machine = this.#start();
    this.#ended = this.#supervise();
  }

  #start(): Machine {
    const servers = this.links.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const { node, dataDir, nats } = this;
    return startMachine({
      nats,
      node,
      dataDir,
      env: { TOTE_REPLICATION: `nats://${servers}`, TOTE_LEASE_SECONDS: '1' },
    });
  }

  async #supervise(): Promise<void> {
    for (;;) {
      const { code, stderr } = await this.machine.run.ended;
      assert.doesNotMatch(
        stderr,
        /replay_mismatch|journal_corrupt|diverged|AssertionError/,
        `${this.node} ended with ${code}`,
      );
      if (this.isOver) return;
      this.machine = this.#start();
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.machine.run.signal('SIGCONT');
    this.machine.run.signal('SIGTERM');
    await this.#ended;
  }
}

class Torment {
  /** By the order's number. */
  readonly acknowledged = new Map<number, Acknowledged>();
  #orders = 0;
  #isLoaded = true;

  constructor(
    readonly machines: readonly [Supervised, Supervised],
    readonly nats: NatsCluster,
    readonly random: (limit: number) => number,
  ) {}

  /** The next process, of any machine but `not`, that leads and serves. */
  async leaderOtherThan(not: Server | null): Promise<{ server: Server; supervised: Supervised }> {
    for (;;) {
      const serving = this.machines.map(async (supervised) => {
        const server = await supervised.machine.leading.catch(() => null);
        const isOther = server !== null && server !== not && server.run.isRunning;
        // One that led before never settles the race.
        return isOther ? { server, supervised } : new Promise<never>(() => undefined);
      });
      const found = await Promise.race([...serving, pause(200, null)]);
      if (found !== null) return found;
    }
  }

  /** Places orders one after the other until the leader no longer answers. */
  async bet(
    { server, supervised }: { server: Server; supervised: Supervised },
    bettor: Bettor,
  ): Promise<void> {
    const api = server.api(bettor.secret);
    while (this.#isLoaded) {
      const at = this.#orders++;
      try {
        const answer = await placeNumber(api, at);
        if (answer.status === 201)
          this.acknowledged.set(at, { betId: answer.data.bet.id, node: supervised.node });
        else await pause(10);
      } catch {
        return;
      }
    }
  }

  async attack(
    attack: Attack,
    { server, supervised }: { server: Server; supervised: Supervised },
  ): Promise<void> {
    if (attack === 'kill') server.run.signal('SIGKILL');
    if (attack === 'handOver') server.run.signal('SIGTERM');
    if (attack === 'stop') server.run.signal('SIGSTOP');
    if (attack === 'cut') {
      const direction = DIRECTIONS[this.random(DIRECTIONS.length)] ?? 'both';
      for (const link of supervised.links) link.cut(direction);
    }
    if (attack === 'killServer') {
      const index = this.random(this.nats.size);
      await this.nats.killServer(index);
      await pause(300);
      server.run.signal('SIGKILL');
      this.nats.startServer(index);
    }
  }

  /** Ends the attack on the machine that led, whose process must end without acknowledging anything more. */
  async relent(
    attack: Attack,
    { server, supervised }: { server: Server; supervised: Supervised },
  ): Promise<void> {
    if (attack === 'stop') server.run.signal('SIGCONT');
    if (attack === 'cut') for (const link of supervised.links) link.heal();
    await server.run.ended;
  }

  endLoad(): void {
    this.#isLoaded = false;
  }
}

async function start(t: TestContext): Promise<Torment> {
  t.diagnostic(`seed ${SEED}`);
  const nats = await NatsCluster.start();
  t.after(() => nats.remove());
  const supervised = async (node: string, secretOf: string | null): Promise<Supervised> => {
    const links = await Promise.all(
      nats.servers.map((server) => LinkProxy.open(Number(server.split(':')[1]))),
    );
    const dataDir = newDiskDir();
    if (secretOf !== null) shareSecret(secretOf, dataDir);
    const machine = new Supervised(node, dataDir, links, nats);
    t.after(async () => {
      machine.isOver = true;
      machine.machine.run.signal('SIGKILL');
      for (const link of links) link.close();
      await machine.machine.run.ended;
      removeDataDir(dataDir);
    });
    return machine;
  };
  const a = await supervised('a', null);
  await a.machine.leading;
  const b = await supervised('b', a.dataDir);
  return new Torment([a, b], nats, randomOf(SEED));
}

/** Resolves once the machine's process follows, the one started again included: whatever it alone has is taken back by then. */
async function following(machine: Supervised): Promise<void> {
  for (;;) {
    const { run } = machine.machine;
    const seen = await event(run, 'following').catch(() => null);
    if (seen !== null && machine.machine.run === run && run.isRunning) return;
    await pause(20);
  }
}

test(`${TAKEOVERS} takeovers under load lose no acknowledged order, and no two lead at once`, {
  skip: NO_NATS,
}, async (t) => {
  const torment = await start(t);
  let leader = await torment.leaderOtherThan(null);
  await leader.server.toNextDay();
  await leader.server.push({ BTC: 50_000 });
  const bettor = await leader.server.createBettor({ balance: 1_000_000 });
  for (let takeover = 0; takeover < TAKEOVERS; takeover++) {
    const before = torment.acknowledged.size;
    const load = Array.from({ length: BETTORS_AT_ONCE }, () => torment.bet(leader, bettor));
    while (torment.acknowledged.size < before + 20 + torment.random(40)) await pause(10);
    const attack = ATTACKS[(takeover + torment.random(2)) % ATTACKS.length] ?? 'kill';
    const fallen = leader;
    await torment.attack(attack, fallen);
    leader = await torment.leaderOtherThan(fallen.server);
    await torment.relent(attack, fallen);
    await Promise.all(load);
    await leader.server.push({ BTC: 50_000 });
    const recent = [...torment.acknowledged].slice(before);
    const api = leader.server.api(bettor.secret);
    for (const [at, { betId }] of recent) {
      const again = await placeNumber(api, at);
      const where = `seed ${SEED}, takeover ${takeover} by ${attack}, order ${at}: ${again.text}`;
      assert.equal(again.status, 201, where);
      assert.equal(again.data.bet.id, betId, where);
    }
    await leader.server.advance(ROUND_MS);
    await leader.server.push({ BTC: 50_000 });
  }
  torment.endLoad();
  for (const machine of torment.machines) if (machine !== leader.supervised) await following(machine);
  for (const machine of torment.machines) machine.isOver = true;
  for (const machine of torment.machines) await machine.end();
  const { leaders, batches } = await historyOf(torment.nats);
  const rows = batches.map(({ row }) => row);
  const epochs = batches.flatMap(({ row, epoch }) =>
    (JSON.parse(row.commands) as [string][]).filter(([kind]) => kind === 'placeOrder').map(() => epoch),
  );
  assert.ok(leaders.size > TAKEOVERS, 'each takeover is an epoch');
  for (const { betId, node } of torment.acknowledged.values())
    assert.equal(
      leaders.get(epochs[Number(betId.slice('bet_'.length)) - 1] ?? 0),
      node,
      `seed ${SEED}: ${betId}`,
    );
  for (const { dataDir } of torment.machines) {
    const own = batchesOf(dataDir);
    assert.deepEqual(own, rows.slice(0, own.length), `seed ${SEED}`);
    const verified = await tote(['verify', dataDir]);
    assert.equal(verified.code, 0, verified.stdout);
  }
  assert.ok(torment.machines.some(({ dataDir }) => batchesOf(dataDir).length === rows.length));
});
