/** Three NATS servers on loopback with JetStream in files, as a replicated journal needs them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';
import { cpuTimes, sumOf } from '../host/usage.js';

const SERVERS = [0, 1, 2] as const;
const NS_PER_US = 1_000;

export const hasNats = (): boolean =>
  spawnSync('nats-server', ['-v'], { stdio: 'ignore' }).error === undefined;

export type NatsServers = Awaited<ReturnType<typeof startNats>>;

export async function startNats(workDir: string) {
  const ports = await Promise.all(SERVERS.map(async () => [await freePort(), await freePort()] as const));
  const routes = ports.map(([, cluster]) => `nats://127.0.0.1:${cluster}`).join(', ');
  const processes = SERVERS.map((at) => {
    const dir = join(workDir, `nats-${at}`);
    mkdirSync(dir);
    const [client, cluster] = ports[at] ?? [];
    const config = `server_name: n${at}
listen: "127.0.0.1:${client}"
jetstream { store_dir: "${dir}" }
cluster { name: bench, listen: "127.0.0.1:${cluster}", routes: [${routes}] }
`;
    const file = join(dir, 'nats.conf');
    writeFileSync(file, config);
    return new ServerProcess(['nats-server', '-c', file], { core: null, logFile: join(dir, 'log') });
  });
  return { url: `nats://${ports.map(([client]) => `127.0.0.1:${client}`).join(',')}`, processes };
}

export const natsCpuUs = ({ processes }: NatsServers): number =>
  processes.reduce((sum, { pid }) => {
    const times = cpuTimes(pid);
    return sum + (times === null ? Number.NaN : sumOf(times.threadNs) / NS_PER_US);
  }, 0);
