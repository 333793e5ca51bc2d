/**
 * What polite clients feel while others attack: their latencies at planned times, alone and during each attack. A
 * figure for people to read; what must hold in any case is that every polite request is answered as it should be.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpRequest, orderRequest } from '../../bench/client/http-request.js';
import type { ClientJob, LatencySummary, RequestTemplate } from '../../bench/client/job.js';
import { measure } from '../../bench/client/start.js';
import { makeBettors, marketsForRun } from '../../bench/tote/bettors.js';
import { ToteServer } from '../../bench/tote/server.js';
import { ATTACKS } from './attacks.js';

const POLITE_CONNECTIONS = 32;
const POLITE_RATE = 1_000;
const BETTORS = 64;
const WARMUP_MS = 500;
const SERIALS_A_RUN = 10_000_000;
/** The server's limits on slow clients act within this, so that one attack is over when the next begins. */
const REST_MS = 12_000;

/** Rejects where a polite request is not answered as expected. */
export async function hostility(secondsEach: number, say: (line: string) => void): Promise<void> {
  const workDir = mkdtempSync(join(tmpdir(), 'tote-hostile-'));
  const server = await ToteServer.start({
    dataDir: join(workDir, 'data'),
    workDir,
    core: null,
    durability: 'fsync',
  });
  try {
    const job = await politeJob(server, secondsEach * 1_000);
    let runs = 0;
    const polite = async (onMeasuring = () => {}): Promise<LatencySummary> => {
      const firstSerial = ++runs * SERIALS_A_RUN;
      const { client } = await measure({ ...job, firstSerial }, server.process, null, onMeasuring);
      if (client.unexpected.length > 0) throw new Error(JSON.stringify(client.unexpected));
      return client.latency;
    };
    const quiet = await polite();
    say(line('alone', quiet, quiet));
    for (const { name, begin } of ATTACKS) {
      // Polite clients are there before: one who comes when every place is taken is turned away like any other.
      let end = (): void => {};
      const attacked = await polite(() => {
        end = begin(server.port);
      }).finally(() => end());
      say(line(name, attacked, quiet));
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    say(line('alone again', await polite(), quiet));
  } finally {
    await server.process.stop('SIGTERM');
    rmSync(workDir, { recursive: true, force: true });
  }
}

async function politeJob(server: ToteServer, measureMs: number): Promise<ClientJob> {
  const bettors = await makeBettors(server, BETTORS);
  const [first] = bettors;
  const [market] = await marketsForRun(server, first?.apiKey ?? '', 600_000);
  const marketId = market?.id ?? '';
  const templates = bettors.flatMap(({ apiKey }): RequestTemplate[] => {
    const headers = [['X-API-Key', apiKey]] as const;
    const order = { marketId, prediction: 'UP', amount: 1 };
    return [
      {
        text: httpRequest('GET', `/v1/markets/${marketId}`, headers, ''),
        serialAt: -1,
        expect: 0,
        stakeCents: 0,
      },
      { text: httpRequest('GET', '/v1/positions', headers, ''), serialAt: -1, expect: 0, stakeCents: 0 },
      { ...orderRequest(apiKey, 'polite-', order), expect: 1, stakeCents: 100 },
    ];
  });
  const success = {
    protocol: 'http',
    bodyStart: '{"success":true,"data":',
    numbered: false,
    headers: [],
  } as const;
  const exposure = { status: 400, bodyStarts: ['{"success":false,"error":"round_exposure_limit'] };
  return {
    host: '127.0.0.1',
    port: server.port,
    connections: POLITE_CONNECTIONS,
    warmupMs: WARMUP_MS,
    measureMs,
    pace: { kind: 'open', ratePerSecond: POLITE_RATE, seed: 1 },
    templates,
    expectations: [
      { ...success, status: 200 },
      { ...success, status: 201, refusals: exposure },
    ],
    firstSerial: 0,
  };
}

function line(name: string, { p50Us, p99Us, maxUs }: LatencySummary, quiet: LatencySummary): string {
  const ms = (us: number): string => (us / 1_000).toFixed(2).padStart(8);
  const ratio = (p99Us / quiet.p99Us).toFixed(2);
  return `${name.padEnd(28)} p50 ${ms(p50Us)} ms  p99 ${ms(p99Us)} ms  max ${ms(maxUs)} ms  p99 x ${ratio}`;
}
