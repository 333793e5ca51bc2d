/**
 * Programming errors that end one client's request or stream and nothing else: each is counted, and logged with its
 * stack and the id that the client was told. A ring that cannot be trusted is no such error: it ends the process.
 */
import { randomUUID } from 'node:crypto';
import { maskSecrets } from '../../crypto/api-keys.js';
import type { Log } from '../../process/log/log.js';
import type { Client } from '../kit/client-work.js';
import { WindowCount } from '../kit/window-count.js';
import { RingFault } from '../rings/ring.js';
import type { Concerned, OnFault } from '../uws/request-host.js';

/** A client that can cause one fault can cause many: further ones of a minute are only counted. */
const LINES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

interface FaultsOptions {
  readonly log: Pick<Log, 'write'>;
  /** As metrics name it: `engine`, `gateway0`, `operators`; `standby` is the main thread of one. */
  readonly thread: string;
  readonly monotonicMs: () => number;
  readonly count: () => void;
  readonly onFatal: (error: unknown) => void;
}

export class Faults implements Client {
  readonly #lines = new WindowCount(MINUTE_MS);

  constructor(private readonly options: FaultsOptions) {}

  readonly report: OnFault = (error, concerned) => {
    const requestId = randomUUID();
    if (error instanceof RingFault) {
      this.options.onFatal(error);
      return requestId;
    }
    this.options.count();
    if (this.#lines.count(this.options.monotonicMs()) <= LINES_PER_MINUTE)
      this.#log(error, requestId, concerned);
    return requestId;
  };

  /** For an error outside any one client's request or stream. */
  fail(error: unknown): void {
    this.report(error, { method: '', path: '', address: '' });
  }

  #log(error: unknown, requestId: string, { method, path, address }: Concerned): void {
    const { log, thread } = this.options;
    const err = error instanceof Error ? error : new Error(String(error));
    log.write('client_fault', { requestId, thread, method, path: maskSecrets(path), address, err });
  }
}
