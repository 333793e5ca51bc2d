/**
 * The HTTP references: uWebSockets.js on this machine doing almost nothing. GETs send prepared bytes. A POST is
 * parsed and, if a commit is configured, made durable in a group commit of the same bytes before the same answer is
 * sent. There are no keys, limits, engine or ledger: the difference to the server is the cost of its features.
 */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { assert, must } from '../../engine/base/assert.js';
import { type UwsResponse, uws } from '../../http/uws/library.js';
import { letHeapGrow } from '../../process/heap.js';
import type { WireAnswer } from '../load/answer.js';
import type { BareBatch, BareConfig, BareDurable } from './messages.js';

letHeapGrow();
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
  app.listen('127.0.0.1', config.port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    assert(socket !== false, 'the bare server listens');
  });
}

interface ReadyAnswer {
  /** Status line and headers as one string, which is cheaper than a call for each header. */
  readonly head: string;
  /** Bytes, because a string would be encoded for every answer. */
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

interface Pending {
  readonly response: UwsResponse;
  readonly text: string;
  gone: boolean;
}

/** Bodies arrive as one chunk, because the client sends them in one write. */
function readJson(response: UwsResponse, whenParsed: (pending: Pending) => void): void {
  let pending: Pending | null = null;
  response.onAborted(() => {
    if (pending !== null) pending.gone = true;
  });
  response.onData((piece, isLast) => {
    assert(isLast, 'a body arrives as one chunk');
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
    // Requests read in the same turn of the event loop share a batch.
    setImmediate(send);
  };
}
