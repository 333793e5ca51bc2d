/**
 * The replicated log in NATS JetStream: a stream in files on three servers, and a bucket with the lease beside it. Reads go
 * to the stream's leader, whose answers do not lag behind.
 */
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { assert, must } from '../../../engine/base/assert.js';
import { JournalError, messageOf } from '../../errors.js';
import type { StandbyReport } from './follower.js';
import { ANSWER_MS_MAX, connectionOptions, type NatsSettings } from './nats-connection.js';
import {
  type LeaseEntry,
  type LeaseStore,
  type LogEntry,
  PlaceTaken,
  type ReplicatedLog,
} from './replicated-log.js';

/** Where JetStream knows repeated messages by their ids. Later ones are found by their place (`Appender`). */
const DUPLICATES_KNOWN_MS = 120_000;
const MS_TO_NS = 1_000_000;
const REPLICAS = 3;
const WRONG_LAST_SEQUENCE = 10_071;
const NO_MESSAGE = 10_037;
const STREAM_NOT_FOUND = 10_059;
const LEASE_KEY = 'leader';

export class NatsLog implements ReplicatedLog, LeaseStore {
  #bytesMax: number;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly js: JetStreamClient,
    private readonly jsm: JetStreamManager,
    private readonly kv: KV,
    private readonly stream: string,
  ) {
    this.#bytesMax = must(connection.info, 'what the server has said of itself').max_payload;
  }

  /** Makes the stream and the bucket if they are missing. Throws if no server answers, or they are not as they must be. */
  static async open(settings: NatsSettings): Promise<NatsLog> {
    const connection = await connect(connectionOptions(settings));
    try {
      const js = jetstream(connection, { timeout: ANSWER_MS_MAX });
      const jsm = await js.jetstreamManager();
      const replicas = settings.servers.length < REPLICAS ? 1 : REPLICAS;
      await ensureStream(jsm, settings.stream, replicas);
      const kv = await new Kvm(js).create(`${settings.stream}-lease`, { history: 1, replicas });
      return new NatsLog(connection, js, jsm, kv, settings.stream);
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  /** What the server says of itself; what the last one has said, while there is no connection to any. */
  get bytesMax(): number {
    this.#bytesMax = this.connection.info?.max_payload ?? this.#bytesMax;
    return this.#bytesMax;
  }

  async append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void> {
    try {
      const { seq } = await this.js.publish(subjectOf(this.stream), bytes, {
        msgID: id,
        expect: { lastSequence: afterSequence },
        timeout: ANSWER_MS_MAX,
        retries: 1,
      });
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
      const stored = await this.jsm.streams.getMessage(this.stream, { seq: sequence });
      return stored === null
        ? null
        : { sequence: stored.seq, id: stored.header.get('Nats-Msg-Id'), bytes: stored.data };
    } catch (thrown) {
      if (codeOf(thrown) === NO_MESSAGE) return null;
      throw thrown;
    }
  }

  async bounds(): Promise<{ first: number; last: number }> {
    const { state } = await this.jsm.streams.info(this.stream);
    return { first: state.first_seq, last: state.last_seq };
  }

  async deleteBefore(sequence: number): Promise<void> {
    await this.jsm.streams.purge(this.stream, { seq: sequence });
  }

  /** Calls `tell` when a message may have been appended. A hint that may be lost. */
  onNews(tell: () => void): void {
    this.connection.subscribe(newsOf(this.stream), { callback: tell });
  }

  /** Calls `tell` when a leader has given its lease back. A hint that may be lost. */
  onReleased(tell: () => void): void {
    this.connection.subscribe(releasedOf(this.stream), { callback: tell });
  }

  async readLease(): Promise<LeaseEntry | null> {
    const entry = await this.kv.get(LEASE_KEY);
    return entry === null
      ? null
      : { ...entry.json<Omit<LeaseEntry, 'revision'>>(), revision: entry.revision };
  }

  async writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number> {
    const text = JSON.stringify(entry);
    try {
      const isFirst = revision === 0;
      const written = await (isFirst
        ? this.kv.create(LEASE_KEY, text)
        : this.kv.update(LEASE_KEY, text, revision));
      if (entry.isReleased) this.connection.publish(releasedOf(this.stream));
      return written;
    } catch (thrown) {
      throw asTaken(thrown);
    }
  }

  /** Asks whoever leads to hand over to `node`; resolves with the leader's name. Throws if none answers. */
  async askToHandOver(node: string): Promise<string> {
    const answer = await this.connection.request(handOverOf(this.stream), node, { timeout: ANSWER_MS_MAX });
    return answer.string();
  }

  /** Calls `tell` when a successor asks for the lead. */
  onHandOver(node: string, tell: (to: string) => void): void {
    this.connection.subscribe(handOverOf(this.stream), {
      callback: (error, message) => {
        if (error !== null) return;
        message.respond(node);
        tell(message.string());
      },
    });
  }

  /** Tells whoever leads how far this standby is. A message that may be lost. */
  report(report: StandbyReport): void {
    this.connection.publish(standbysOf(this.stream), JSON.stringify(report));
  }

  /** Calls `tell` with what standbys report. */
  onReport(tell: (report: StandbyReport) => void): void {
    this.connection.subscribe(standbysOf(this.stream), {
      callback: (error, message) => {
        if (error === null) tell(message.json<StandbyReport>());
      },
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

const subjectOf = (stream: string): string => `${stream}.journal`;
const handOverOf = (stream: string): string => `${stream}.hand-over`;
const releasedOf = (stream: string): string => `${stream}.released`;
const standbysOf = (stream: string): string => `${stream}.standbys`;
const newsOf = (stream: string): string => `${stream}.news`;

async function ensureStream(jsm: JetStreamManager, stream: string, replicas: number): Promise<void> {
  try {
    await jsm.streams.info(stream);
    return;
  } catch (thrown) {
    if (codeOf(thrown) !== STREAM_NOT_FOUND) throw thrown;
  }
  try {
    await jsm.streams.add({
      name: stream,
      subjects: [subjectOf(stream)],
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      num_replicas: replicas,
      duplicate_window: DUPLICATES_KNOWN_MS * MS_TO_NS,
      deny_delete: true,
    });
  } catch (thrown) {
    throw new JournalError(
      'replication_unreachable',
      `The stream ${stream} could not be made on the NATS servers: ${messageOf(thrown)}. They need JetStream, and ${replicas} of them a quorum.`,
      { cause: thrown },
    );
  }
}

const codeOf = (thrown: unknown): number => (thrown instanceof JetStreamApiError ? thrown.code : 0);

const asTaken = (thrown: unknown): unknown =>
  codeOf(thrown) === WRONG_LAST_SEQUENCE
    ? new PlaceTaken('the log ends elsewhere', { cause: thrown })
    : thrown;
