/** Log lines of a start, and of one that is refused. */
import { ConfigError } from '../config/config.js';
import { KnownError } from '../engine/base/known-error.js';
import type { EngineReads } from '../engine/engine.js';
import type { SigningKeys } from '../engine/model/proofs/signing.js';
import type { Recovered } from '../persistence/recovery/open-store.js';
import type { OnProgress } from '../persistence/replay/replay.js';
import { createLog, type Log } from '../process/log/log.js';

export function logStarting(log: Log, version: string, dataDir: string): void {
  log.write('starting', { version, node: process.version, pid: process.pid, dataDir });
  // Recovery may take long and blocks the event loop.
  log.flush();
}

/** Only longer recoveries show their progress. */
const QUIET_MS = 1_000;

/** Call it when the recovery begins, which blocks the event loop. */
export function recoveryLogger(log: Log): OnProgress {
  const startedMs = performance.now();
  return (progress) => {
    if (performance.now() - startedMs < QUIET_MS) return;
    const { phase, commandsDone, commandsTotal, commandsPerSecond, secondsLeft } = progress;
    const total = commandsTotal > 0 ? ` of ${commandsTotal}` : '';
    const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
    const share = `${commandsDone}${total} commands, ${commandsPerSecond}/s${left}`;
    log.write('recovering', progress, `recovery, ${phase}: ${share}`);
    log.flush();
  };
}

export function logRecovered(
  log: Log,
  view: Omit<Recovered, 'checksum'>,
  engine: EngineReads,
  tookMs: number,
): void {
  const { lastSeq, lastTimeMs, snapshotSeq, wasUnclean, notes } = view;
  if (wasUnclean) log.write('unclean_stop', { sequence: lastSeq });
  for (const note of notes) log.write('recovery_warning', { sequence: lastSeq }, note);
  log.write('recovered', {
    sequence: lastSeq,
    snapshotSequence: snapshotSeq === 0 ? null : snapshotSeq,
    commandsReplayed: lastSeq - snapshotSeq,
    tookMs: Math.round(tookMs),
    lastCommandTime: lastTimeMs === 0 ? null : new Date(lastTimeMs).toISOString(),
    accounts: engine.accountCount,
    bets: engine.betsPlaced,
    unsettledRounds: engine.unsettledRounds().length,
  });
}

/** Also prints the banner. `tookMs` is from the start of the recovery. */
export function logListening(log: Log, banner: BannerFields, tookMs: number): void {
  const { publicUrl, operatorUrl, feed, clock, durability } = banner;
  log.write('listening', { publicUrl, operatorUrl, feed, clock, durability, tookMs: Math.round(tookMs) });
  process.stdout.write(bannerText(banner));
}

/** Leaves nothing running. An error that is not known is shown with its stack. */
export function refuseToStart(error: unknown): never {
  const isKnown = error instanceof ConfigError || error instanceof KnownError;
  const reason = error instanceof Error ? (isKnown ? error.message : error.stack) : String(error);
  const sentence = `tote cannot start: ${reason}`;
  // A log of its own: if the configuration is wrong, there is none yet.
  if (process.stderr.isTTY) process.stderr.write(`${sentence}\n`);
  else createLog('fatal').write('start_refused', factsOf(error), sentence);
  process.exit(1);
}

function factsOf(error: unknown): object {
  if (error instanceof ConfigError) return { mistakes: error.mistakes };
  return error instanceof Error && 'code' in error ? { code: error.code } : {};
}

interface BannerFields {
  readonly version: string;
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** A file, or the environment. */
  readonly tokenSource: string;
  readonly dataDir: string;
  /** For roots and settlements. */
  readonly signingKey: Pick<SigningKeys, 'keyId' | 'publicKey'>;
  /** 0 for a new data directory. */
  readonly recoveredSeq: number;
  readonly durability: 'fsync' | 'os';
  readonly feed: string;
  readonly clock: 'system' | 'manual';
  /** This machine's, where the journal is replicated: it leads. */
  readonly node: string | null;
}

/** White on red, where a terminal shows it. */
const SIMULATED = process.stdout.isTTY ? '\x1b[41;97m PRICES ARE SIMULATED \x1b[0m' : 'PRICES ARE SIMULATED';

function bannerText(banner: BannerFields): string {
  const durability =
    banner.durability === 'fsync'
      ? 'fsync (an answer is given once it is on disk)'
      : 'os (a power loss may take back the newest answers)';
  const recovered = banner.recoveredSeq === 0 ? 'new' : `recovered to sequence number ${banner.recoveredSeq}`;
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['public API', `${banner.publicUrl}/v1   (documentation: ${banner.publicUrl}/docs)`],
    ['operator API', `${banner.operatorUrl}/operator/v1   (token: ${banner.tokenSource})`],
    ['console', `${banner.operatorUrl}/console   (log in with the same token)`],
    ['data', `${banner.dataDir}   (${recovered})`],
    ['signing key', `Ed25519 ${banner.signingKey.publicKey}   (key id: ${banner.signingKey.keyId})`],
    ['durability', durability],
    ['replication', banner.node && `${banner.node} leads (an answer is given once NATS has it, too)`],
    ['feed', banner.feed === 'simulated' ? `${banner.feed}   ${SIMULATED}` : banner.feed],
    ['clock', banner.clock],
  ];
  const shown = rows.filter(([, value]) => value !== null);
  const lines = shown.map(([name, value]) => `  ${name.padEnd(13)} ${value}`);
  return `tote ${banner.version} is up\n${lines.join('\n')}\n`;
}
