/** The server's memory, event loop, money and log over the time of a soak, from its operator API and its log file. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { ToteServer } from '../tote/server.js';
import { cents } from './ledger.js';
import type { Violations } from './violations.js';

export interface Sample {
  /** Minutes since the load began. */
  readonly minute: number;
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  readonly arrayBuffersBytes: number;
  readonly sequence: number;
  readonly loopDelayMaxMs: number;
}

interface Status {
  readonly sequence: number;
  readonly memory: {
    readonly rssBytes: number;
    readonly heapUsedBytes: number;
    readonly arrayBuffersBytes: number;
  };
  readonly eventLoopDelayMs: { readonly mean: number; readonly p99: number; readonly max: number };
}

export class Health {
  readonly samples: Sample[] = [];
  loopDelayMs = { mean: 0, p99: 0, max: 0 };
  readonly #log: LogTail;

  constructor(
    private readonly server: ToteServer,
    logFile: string,
    private readonly violations: Violations,
  ) {
    this.#log = new LogTail(logFile, violations);
  }

  async look(minute: number): Promise<void> {
    const status = (await this.server.operate('GET', '/status')) as Status;
    const { sequence, memory, eventLoopDelayMs } = status;
    this.loopDelayMs = eventLoopDelayMs;
    this.samples.push({ minute, ...memory, sequence, loopDelayMaxMs: eventLoopDelayMs.max });
    await this.#checkConservation();
    this.lookAtLog();
  }

  /** Also called once the server has ended, to include its last lines. */
  lookAtLog(): void {
    this.#log.look();
  }

  async #checkConservation(): Promise<void> {
    const house = (await this.server.operate('GET', '/house')) as Readonly<
      Record<'balance' | 'accounts' | 'openStakes' | 'openSeeds' | 'deposits' | 'withdrawals', number>
    >;
    const inside =
      cents(house.balance) + cents(house.accounts) + cents(house.openStakes) + cents(house.openSeeds);
    if (inside === cents(house.deposits) - cents(house.withdrawals)) return;
    this.violations.report('conservation', JSON.stringify(house));
  }
}

const WARN = 40;
const CHUNK_BYTES = 1 << 20;
/** The banner, the only output of the server besides its log. */
const BANNER = /^( {2}|tote |$)/;

/** Reads new lines of the log: one of level warn or above is a violation, and so is one that is not a log line. */
class LogTail {
  #offset = 0;
  #rest = '';

  constructor(
    private readonly file: string,
    private readonly violations: Violations,
  ) {}

  look(): void {
    const lines = (this.#rest + this.#read()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('{')) {
        const { level } = JSON.parse(line) as { level: number };
        if (level >= WARN) this.violations.report('log', line);
      } else if (!BANNER.test(line)) {
        this.violations.report('log', line);
      }
    }
  }

  #read(): string {
    const file = openSync(this.file, 'r');
    try {
      const bytes = Buffer.alloc(CHUNK_BYTES);
      const length = readSync(file, bytes, 0, CHUNK_BYTES, this.#offset);
      this.#offset += length;
      return bytes.toString('utf8', 0, length);
    } finally {
      closeSync(file);
    }
  }
}

/**
 * Growth in MB a minute, by least squares, of the minimum of each minute (the maximum depends on when the collector
 * last ran). Null if fewer than three minutes are left after `fromMinute`.
 */
export function slopeMbPerMinute(
  samples: readonly Sample[],
  value: (sample: Sample) => number,
  fromMinute: number,
): number | null {
  const floors = new Map<number, number>();
  for (const sample of samples) {
    const minute = Math.floor(sample.minute);
    if (sample.minute >= fromMinute)
      floors.set(minute, Math.min(floors.get(minute) ?? Infinity, value(sample)));
  }
  const points = [...floors];
  if (points.length < 3) return null;
  const mean = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0) / list.length;
  const meanMinute = mean(points.map(([minute]) => minute));
  const meanValue = mean(points.map(([, bytes]) => bytes));
  const covariance = mean(points.map(([minute, bytes]) => (minute - meanMinute) * (bytes - meanValue)));
  const variance = mean(points.map(([minute]) => (minute - meanMinute) ** 2));
  return covariance / variance / 1e6;
}
