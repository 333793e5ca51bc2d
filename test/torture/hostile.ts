/**
 * The latencies of polite clients under attack, at planned times, in alternating windows with and without an attack,
 * so that changes of the machine affect both. The server has a core of its own; attackers and polite clients share
 * the other, the polite ones with a higher priority. The figures are for people; the only assertion is that every
 * polite request gets the expected answer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { httpRequest, orderRequest } from '../../bench/client/http-request.js';
import type { RequestTemplate } from '../../bench/client/job.js';
import { findCores } from '../../bench/host/cores.js';
import { type CpuUse, cpuTimes, cpuUse } from '../../bench/host/usage.js';
import { makeBettors, marketsForRun } from '../../bench/tote/bettors.js';
import { ToteServer } from '../../bench/tote/server.js';
import type { FromAttacker, ToAttacker } from './attacker-main.js';
import { ATTACKS, type Attack, type Deeds } from './attacks.js';
import { Child } from './child.js';
import type { PoliteJob, PoliteWindow, ToPolite } from './polite-main.js';

const POLITE_CONNECTIONS = 32;
const POLITE_RATE = 1_000;
const BETTORS = 64;
/** Before the first window, and between the end of an attack and a window without one: its sockets close. */
const REST_MS_MAX = 2_000;
/** What starting and ending take besides, with room. */
const BESIDE_MS = 30_000;
const END_HEARD_MS = 200;
const SERIALS_A_RUN = 10_000_000;

export interface HostileOptions {
  /** Length of a window, with or without attack. */
  readonly seconds: number;
  /** Windows of either kind for each attack. */
  readonly pairs: number;
  /** Only attacks whose name holds this. */
  readonly named: string;
}

/** What was measured in a window. */
export interface Felt extends PoliteWindow {
  /** Of the server; null where the system does not tell. */
  readonly cpu: CpuUse | null;
  readonly windowMs: number;
}

/** A window without an attack, and the one with it that followed. */
export interface Pair {
  readonly quiet: Felt;
  readonly attacked: Felt;
  /** Of the attack until it was stopped, at the end of its window. */
  readonly deeds: Deeds | null;
}

/** Where things run, in a sentence. */
export function placement(): string {
  const { server, client } = findCores();
  if (server === null || client === null)
    return 'one core, or no taskset: nothing is pinned, and the attackers take the processor from the server itself';
  return `server on core ${server}; attackers and, before them, polite clients on core ${client}`;
}

/** Calls `onAttack` after each attack. Rejects where a polite request is not answered as expected, or no attack is so named. */
export async function hostility(
  { seconds, pairs, named }: HostileOptions,
  onAttack: (attack: Attack, pairs: readonly Pair[]) => void,
): Promise<void> {
  const attacks = ATTACKS.filter(({ name }) => name.includes(named));
  if (attacks.length === 0) throw new Error(`no attack's name holds "${named}"`);
  const workDir = mkdtempSync(join(tmpdir(), 'tote-hostile-'));
  const cores = findCores();
  const dataDir = join(workDir, 'data');
  const server = await ToteServer.start({ dataDir, workDir, core: cores.server, durability: 'fsync' });
  const attacker = new Child<ToAttacker, FromAttacker>(
    new URL('./attacker-main.js', import.meta.url),
    cores.client,
  );
  try {
    const restMs = Math.min(REST_MS_MAX, 250 * seconds);
    const apiKeys = (await makeBettors(server, BETTORS)).map(({ apiKey }) => apiKey);
    let runs = 0;
    for (const attack of attacks) {
      const neededMs = pairs * (2_000 * seconds + restMs) + restMs + BESIDE_MS;
      const polite = new Child<ToPolite, PoliteWindow>(
        new URL('./polite-main.js', import.meta.url),
        cores.client,
      );
      try {
        const job = await politeJob(server, apiKeys, neededMs, ++runs * SERIALS_A_RUN);
        await polite.ask({ type: 'begin', job });
        const measured: Pair[] = [];
        await after(restMs);
        for (let pair = 0; pair < pairs; pair++) {
          measured.push(await measurePair(server, attacker, polite, attack, seconds * 1_000));
          await after(restMs);
        }
        onAttack(attack, measured);
      } finally {
        await polite.end();
      }
    }
  } catch (error) {
    // What the server wrote last says more than a broken connection. A process's end is heard of after that of its connections.
    await after(END_HEARD_MS);
    throw server.process.ended ? server.process.failure('ended') : error;
  } finally {
    await attacker.end();
    await server.process.stop('SIGTERM');
    rmSync(workDir, { recursive: true, force: true });
  }
}

async function measurePair(
  server: ToteServer,
  attacker: Child<ToAttacker, FromAttacker>,
  polite: Child<ToPolite, PoliteWindow>,
  { name }: Attack,
  ms: number,
): Promise<Pair> {
  const feel = async (): Promise<Felt> => {
    const before = cpuTimes(server.process.pid);
    const window = await polite.ask({ type: 'measure', ms });
    return { ...window, cpu: cpuUse(before, cpuTimes(server.process.pid)), windowMs: ms };
  };
  const quiet = await feel();
  // Polite clients are there before: one who comes when every place is taken is turned away like any other.
  const [attacked] = await Promise.all([feel(), attacker.ask({ type: 'begin', name, port: server.port })]);
  const { deeds } = await attacker.ask({ type: 'stop' });
  return { quiet, attacked, deeds };
}

/** A read of a market, one of positions and an order in turns, for all accounts. */
async function politeJob(
  server: ToteServer,
  apiKeys: readonly string[],
  neededMs: number,
  firstSerial: number,
): Promise<PoliteJob> {
  const [market] = await marketsForRun(server, apiKeys[0] ?? '', neededMs);
  const marketId = market?.id ?? '';
  const read = { serialAt: -1, expect: 0, stakeCents: 0 };
  const templates = apiKeys.flatMap((apiKey): RequestTemplate[] => {
    const headers = [['X-API-Key', apiKey]] as const;
    const order = { marketId, prediction: 'UP', amount: 1 };
    return [
      { ...read, text: httpRequest('GET', `/v1/markets/${marketId}`, headers, '') },
      { ...read, text: httpRequest('GET', '/v1/positions', headers, '') },
      { ...orderRequest(apiKey, 'polite-', order), expect: 1, stakeCents: 100 },
    ];
  });
  const success = { bodyStart: '{"success":true,"data":', numbered: false, headers: [] };
  return {
    host: '127.0.0.1',
    port: server.port,
    connections: POLITE_CONNECTIONS,
    tempo: { ratePerSecond: POLITE_RATE, seed: firstSerial },
    templates,
    expectations: [
      { ...success, status: 200 },
      { ...success, status: 201 },
    ],
    firstSerial,
  };
}
