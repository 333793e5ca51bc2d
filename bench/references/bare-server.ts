/**
 * The references over HTTP: what uWebSockets.js does on this machine when next to nothing is asked of it. GETs answer
 * ready bytes; a POST is parsed and, where a commit is asked for, made durable in a group commit of the same bytes
 * before the same answer goes out. No key, no limit, no engine, no ledger: the distance to these is what the server's
 * features cost.
 */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { assert, must } from '../../engine/base/assert.js';
import { type UwsResponse, uws } from '../../http/uws/library.js';
import type { WireAnswer } from '../load/answer.js';
import type { BareBatch, BareConfig, BareDurable, FromBare } from './bare-config.js';

const configFile = must(process.argv[2], 'the file that says what to serve');
serve(JSON.parse(readFileSync(configFile, 'utf8')));

function serve(config: BareConfig): void {
  const app = uws.App();
  for (const { path, answer } of config.gets) {
    const ready = readyAnswer(answer);
    app.get(path, (response) => {
      response.cork(() => write(response, ready));
    });
  }
  const answer = readyAnswer(config.post);
  const whenParsed = config.commit === null ? answerAtOnce(answer) : groupCommit(answer, config.commit);
  app.post('/*', (response) => readJson(response, whenParsed));
  app.listen('127.0.0.1', 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    assert(socket !== false, 'the bare server listens');
    process.send?.({ type: 'listening', port: uws.us_socket_local_port(socket) } satisfies FromBare);
  });
}

interface ReadyAnswer {
  /** Status line and headers in one piece, which costs less than a call for each header. */
  readonly head: string;
  /** As bytes: a large string would be converted for every answer. */
  readonly body: Buffer;
}

function readyAnswer({ statusLine, headers, body }: WireAnswer): ReadyAnswer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return { head: [statusLine, ...lines].join('\r\n'), body: Buffer.from(body) };
}

function write(response: UwsResponse, { head, body }: ReadyAnswer): void {
  response.writeStatus(head);
  response.end(body, false);
}

/** A request whose body is there; `gone` once its client is. */
interface Pending {
  readonly response: UwsResponse;
  readonly text: string;
  gone: boolean;
}

/** Bodies come in one piece here: the client sends small ones in one write. */
function readJson(response: UwsResponse, whenParsed: (pending: Pending) => void): void {
  let pending: Pending | null = null;
  response.onAborted(() => {
    if (pending !== null) pending.gone = true;
  });
  response.onData((piece, isLast) => {
    assert(isLast, 'a body comes in one piece');
    const text = Buffer.from(piece).toString('latin1');
    const parsed: unknown = JSON.parse(text);
    assert(typeof parsed === 'object' && parsed !== null, 'a body is an object');
    pending = { response, text, gone: false };
    whenParsed(pending);
  });
}

function answerAtOnce(answer: ReadyAnswer): (pending: Pending) => void {
  return ({ response }) => {
    response.cork(() => write(response, answer));
  };
}

/** While one batch is written, the next one fills. */
function groupCommit(
  answer: ReadyAnswer,
  commit: NonNullable<BareConfig['commit']>,
): (pending: Pending) => void {
  const worker = new Worker(new URL('./commit-worker.js', import.meta.url), { workerData: commit });
  worker.on('error', (error) => {
    throw error;
  });
  const padding = ' '.repeat(commit.commandBytes);
  let filling: Pending[] = [];
  let writing: Pending[] = [];
  let lastSeq = 0;
  let scheduled = false;

  const send = (): void => {
    scheduled = false;
    if (writing.length > 0 || filling.length === 0) return;
    writing = filling;
    filling = [];
    const commands = writing.map(({ text }) => (text + padding).slice(0, commit.commandBytes));
    const firstSeq = lastSeq + 1;
    lastSeq += writing.length;
    const batch: BareBatch = { firstSeq, lastSeq, timeMs: Date.now(), commands: commands.join('') };
    worker.postMessage(batch);
  };
  worker.on('message', (durable: BareDurable) => {
    assert(durable.lastSeq === lastSeq, 'the last batch became durable');
    const answered = writing;
    writing = [];
    send();
    for (const { response, gone } of answered) {
      if (!gone) response.cork(() => write(response, answer));
    }
  });
  return (pending) => {
    filling.push(pending);
    if (scheduled) return;
    scheduled = true;
    // What the loop reads in the same turn goes into the same batch.
    setImmediate(send);
  };
}
