/** Faults of two machines and three NATS servers: at the leader, so that another one must take over, and around it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Direction } from '../../support/link-proxy.js';
import type { Server } from '../../support/processes/server.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { NatsCluster } from '../../support/replication/nats.js';
import type { Supervised } from './machine.js';

export interface Scene {
  readonly server: Server;
  readonly leader: Supervised;
  readonly standby: Supervised;
  readonly nats: NatsCluster;
  readonly rng: Rng;
}

/** Returns a function that ends it; null if it cannot be done to this scene. */
export type Fault = (scene: Scene) => Promise<(() => void) | null>;

const nothing = (): void => undefined;
const DIRECTIONS: readonly Direction[] = ['up', 'down', 'both'];
const anyDirection = ({ rng }: Scene): Direction => rng.pick(DIRECTIONS);

async function killServer({ nats }: Scene, index: number): Promise<() => void> {
  await nats.killServer(index);
  return () => nats.startServer(index);
}

function cutLink(scene: Scene, of: Supervised): () => void {
  const link = of.links[scene.rng.below(of.links.length)];
  link?.cut(anyDirection(scene));
  return () => link?.heal();
}

/** Two of three NATS servers are left: done without a disturbance. */
export const LONE_ATTACKS: Readonly<Record<string, Fault>> = {
  'a NATS server killed, then the leader': async (scene) => {
    const end = await killServer(scene, scene.rng.below(scene.nats.size));
    await pause(300);
    scene.server.run.signal('SIGKILL');
    return end;
  },
  "the stream's NATS leader and the leader killed together": async (scene) => {
    const killed = killServer(scene, await scene.nats.streamLeader('tote'));
    scene.server.run.signal('SIGKILL');
    return killed;
  },
};

/** After each of these the process that led must end without acknowledging anything more. */
export const ATTACKS: Readonly<Record<string, Fault>> = {
  'SIGKILL of the leader': async ({ server }) => {
    server.run.signal('SIGKILL');
    return nothing;
  },
  'SIGSTOP of the leader until another one leads': async ({ server }) => {
    server.run.signal('SIGSTOP');
    return () => server.run.signal('SIGCONT');
  },
  'SIGTERM of the leader': async ({ server }) => {
    server.run.signal('SIGTERM');
    return nothing;
  },
  "the leader's links to all of NATS cut": async (scene) => {
    const direction = anyDirection(scene);
    for (const link of scene.leader.links) link.cut(direction);
    return () => {
      for (const link of scene.leader.links) link.heal();
    };
  },
  "the leader's disk full": async ({ leader }) => {
    if (!leader.disk.canFill) return null;
    leader.disk.fill();
    return () => leader.disk.clear();
  },
};

/** Begins before the attack and ends after the takeover. */
export const DISTURBANCES: Readonly<Record<string, Fault>> = {
  'a NATS server killed': (scene) => killServer(scene, scene.rng.below(scene.nats.size)),
  'a NATS server stopped': async ({ nats, rng }) => {
    const index = rng.below(nats.size);
    nats.signal(index, 'SIGSTOP');
    return () => nats.signal(index, 'SIGCONT');
  },
  'a link between two NATS servers cut': async (scene) => {
    const { nats, rng } = scene;
    const from = rng.below(nats.size);
    nats.cutRoute(from, (from + 1 + rng.below(nats.size - 1)) % nats.size, anyDirection(scene));
    return () => nats.healRoutes();
  },
  "one of the leader's links cut": async (scene) => cutLink(scene, scene.leader),
  "one of the standby's links cut": async (scene) => cutLink(scene, scene.standby),
};
