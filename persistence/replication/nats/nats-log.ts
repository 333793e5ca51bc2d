/**
 * The replicated log in NATS JetStream: a stream in files on three servers, and a bucket with the lease. Reads go to
 * the leaders of both, whose answers do not lag behind: never to any replica (`allow_direct`).
 */
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type NatsConnection, TimeoutError } from '@nats-io/transport-node';
import typia from 'typia';
import { assert, must } from '../../../engine/base/assert.js';
import { parsedJson } from '../../../engine/base/attempt.js';
import type { StandbyReport } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import {
  type LeaseEntry,
  type LeaseStore,
  type LogEntry,
  type LogSignals,
  PlaceTaken,
  type ReplicatedLog,
} from '../log/replicated-log.js';
import { ANSWER_MS_MAX, connectTo, type NatsSettings } from './nats-connection.js';
import { hasStream, makeStream, STREAM_NOT_FOUND, subjectOf } from './stream.js';

/**
 * A server that is cut off from the others keeps its clients, and answers nothing of JetStream: then another one is
 * asked.
 */
const SILENT_MS_MAX = 2_000;
const REPLICAS = 3;
const WRONG_LAST_SEQUENCE = 10_071;
const NO_MESSAGE = 10_037;
/** Only the stream's leader can tell these errors. */
const ANSWERS: readonly number[] = [WRONG_LAST_SEQUENCE, NO_MESSAGE];
const LEASE_KEY = 'leader';

const isReport = typia.createIs<StandbyReport>();

export class NatsLog implements ReplicatedLog, LeaseStore, LogSignals {
  #bytesMax: number;
  /** When JetStream last answered, or another server was last asked for. */
  #answeredMs = performance.now();

  private constructor(
    private readonly connection: NatsConnection,
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
    private readonly kv: KV,
    private readonly stream: string,
  ) {
    this.#bytesMax = must(connection.info, 'what the server has said of itself').max_payload;
  }

  /**
   * Makes the stream and the bucket if they are missing. Throws if no server answers, or they are not as they must
   * be.
   */
  static async open(settings: NatsSettings): Promise<NatsLog> {
    const connection = await connectTo(settings);
    try {
      refuseOutdated(must(connection.info, 'what the server has said of itself').version);
      const js = jetstream(connection, { timeout: ANSWER_MS_MAX });
      const jsm = await js.jetstreamManager();
      const replicas = settings.servers.length < REPLICAS ? 1 : REPLICAS;
      if (!(await hasStream(jsm, settings.stream))) await makeStream(jsm, settings.stream, replicas);
      const common = { history: 1, replicas, allow_direct: false };
      const kv = await new Kvm(js).create(`${settings.stream}-lease`, common);
      return new NatsLog(connection, js, jsm, kv, settings.stream);
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  /** Without a connection, as the last server said. */
  get bytesMax(): number {
    this.#bytesMax = this.connection.info?.max_payload ?? this.#bytesMax;
    return this.#bytesMax;
  }

  async append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void> {
    try {
      const options = { timeout: ANSWER_MS_MAX, retries: 1 };
      const expect = { lastSequence: afterSequence };
      const { seq } = await this.#ask(() =>
        this.js.publish(subjectOf(this.stream), bytes, { msgID: id, expect, ...options }),
      );
      // A server may answer so while the same message, sent before, is still under way.
      if (seq === 0) throw new Error(`message ${id} was sent before, and the log has not decided on it yet`);
      assert(
        seq === afterSequence + 1,
        `message ${id} is number ${afterSequence + 1} of the log, not ${seq}`,
      );
    } catch (thrown) {
      throw asTaken(thrown);
    }
    this.connection.publish(newsOf(this.stream));
  }

  async read(sequence: number): Promise<LogEntry | null> {
    try {
      const stored = await this.#ask(() => this.jsm.streams.getMessage(this.stream, { seq: sequence }));
      return stored === null
        ? null
        : { sequence: stored.seq, id: stored.header.get('Nats-Msg-Id'), bytes: stored.data };
    } catch (thrown) {
      if (codeOf(thrown) === NO_MESSAGE) return null;
      throw thrown;
    }
  }

  async bounds(): Promise<{ first: number; last: number }> {
    const { state } = await this.#ask(() => this.jsm.streams.info(this.stream));
    return { first: state.first_seq, last: state.last_seq };
  }

  async deleteBefore(sequence: number): Promise<void> {
    await this.#ask(() => this.jsm.streams.purge(this.stream, { seq: sequence }));
  }

  onNews(tell: () => void): void {
    this.connection.subscribe(newsOf(this.stream), { callback: tell });
  }

  onReleased(tell: () => void): void {
    this.connection.subscribe(releasedOf(this.stream), { callback: tell });
  }

  async readLease(): Promise<LeaseEntry | null> {
    const entry = await this.#ask(() => this.kv.get(LEASE_KEY));
    if (entry === null) return null;
    return { ...entry.json<Omit<LeaseEntry, 'revision'>>(), revision: entry.revision };
  }

  async writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number> {
    const text = JSON.stringify(entry);
    try {
      const isFirst = revision === 0;
      const written = await this.#ask(() =>
        isFirst ? this.kv.create(LEASE_KEY, text) : this.kv.update(LEASE_KEY, text, revision),
      );
      if (entry.isReleased) this.connection.publish(releasedOf(this.stream));
      return written;
    } catch (thrown) {
      throw asTaken(thrown);
    }
  }

  /** Resolves with the leader's name. Throws if none answers. */
  async askToHandOver(node: string): Promise<string> {
    const answer = await this.connection.request(handOverOf(this.stream), node, { timeout: ANSWER_MS_MAX });
    return answer.string();
  }

  async askWhoLeads(): Promise<string> {
    const answer = await this.connection.request(leaderOf(this.stream), '', { timeout: ANSWER_MS_MAX });
    return answer.string();
  }

  onHandOver(node: string, tell: (to: string) => void): () => void {
    const asked = this.connection.subscribe(leaderOf(this.stream), {
      callback: (error, message) => {
        if (error === null) message.respond(node);
      },
    });
    const askedFor = this.connection.subscribe(handOverOf(this.stream), {
      callback: (error, message) => {
        if (error !== null) return;
        message.respond(node);
        tell(message.string());
      },
    });
    return () => {
      asked.unsubscribe();
      askedFor.unsubscribe();
    };
  }

  report(report: StandbyReport): void {
    this.connection.publish(standbysOf(this.stream), JSON.stringify(report));
  }

  onReport(tell: (report: StandbyReport) => void): void {
    this.connection.subscribe(standbysOf(this.stream), {
      callback: (error, message) => {
        const report = error === null ? parsedJson(message.string()) : undefined;
        // Others may publish there, and an exception here would end the connection.
        if (isReport(report)) tell(report);
      },
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      const answer = await question();
      this.#answeredMs = performance.now();
      return answer;
    } catch (thrown) {
      const nowMs = performance.now();
      const isAnswer = ANSWERS.includes(codeOf(thrown));
      const isSilent = !isAnswer && nowMs - this.#answeredMs > SILENT_MS_MAX;
      if (isAnswer || isSilent) this.#answeredMs = nowMs;
      if (isSilent && !this.connection.isClosed()) await this.connection.reconnect();
      throw asGone(thrown, this.stream);
    }
  }
}

/** `npm run torment` has proven this one. 2.9.10 lost and mixed up acknowledged messages. */
const OLDEST_VERSION = [2, 15, 1];

export function refuseOutdated(version: string): void {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  const differs = OLDEST_VERSION.findIndex((oldest, at) => parts[at] !== oldest);
  if (differs < 0 || (parts[differs] ?? 0) > (OLDEST_VERSION[differs] ?? 0)) return;
  throw new JournalError(
    'replication_outdated',
    `The NATS server has version ${version}, and ${OLDEST_VERSION.join('.')} or later is needed: earlier ones were seen to lose what they had ` +
      'acknowledged. Replace the servers one after the other.',
  );
}

const handOverOf = (stream: string): string => `${stream}.hand-over`;
const leaderOf = (stream: string): string => `${stream}.leader`;
const releasedOf = (stream: string): string => `${stream}.released`;
const standbysOf = (stream: string): string => `${stream}.standbys`;
const newsOf = (stream: string): string => `${stream}.news`;

const codeOf = (thrown: unknown): number => (thrown instanceof JetStreamApiError ? thrown.code : 0);

/** In words that tell an operator what to do. The client takes a message that nobody listens for as a sign that there is no JetStream. */
function asGone(thrown: unknown, stream: string): unknown {
  if (codeOf(thrown) === STREAM_NOT_FOUND)
    return new Error(
      `the stream ${stream} or its lease (KV_${stream}-lease) is gone: restart tote on a standby, or on the leader where there is none, which makes it anew`,
      { cause: thrown },
    );
  if (thrown instanceof TimeoutError)
    return new Error(`no answer about the stream ${stream} in time: do the servers reach each other?`, {
      cause: thrown,
    });
  if (!(thrown instanceof Error) || thrown.name !== 'JetStreamNotEnabled') return thrown;
  return new Error(`nobody has the stream ${stream} or its lease now, or there is no JetStream`, {
    cause: thrown,
  });
}

const asTaken = (thrown: unknown): unknown =>
  codeOf(thrown) === WRONG_LAST_SEQUENCE
    ? new PlaceTaken('the log ends elsewhere', { cause: thrown })
    : thrown;
