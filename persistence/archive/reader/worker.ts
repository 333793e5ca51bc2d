/** The reader's thread: answers the gateways' questions, in the order in which they come. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { must } from '../../../engine/base/assert.js';
import { messageOf } from '../../../engine/base/attempt.js';
import type { ArchiveRequest, ArchiveResponse } from '../../../engine/model/archive-reads.js';
import { codeOf } from '../../errors.js';
import type { CloseMessage } from '../../thread/thread.js';
import type { FromReader, ReaderNews, ReaderOptions, ToReader } from './messages.js';
import { ArchiveReader } from './reader.js';
import { WaitingQuestions } from './waiting.js';

const port = must(parentPort, "the parent's port");
const { path, shadow } = workerData as ReaderOptions;
const tellShadow = (message: FromReader): void => shadow.postMessage(message);
const gateways: MessagePort[] = [];
let timer: NodeJS.Timeout | null = null;

const questions = new WaitingQuestions({
  open: () => ArchiveReader.open(path),
  nowMs: () => performance.now(),
  hurry: tellShadow,
  schedule: (lookAgain) => setImmediate(lookAgain),
  note: (thrown) => tellShadow({ text: messageOf(thrown), isDamage: codeOf(thrown) === 'archive_corrupt' }),
});

function watchTime(): void {
  const endMs = questions.nextEndMs;
  if (endMs === null || timer !== null) return;
  timer = setTimeout(
    () => {
      timer = null;
      questions.lookAgain();
      watchTime();
    },
    Math.ceil(endMs - performance.now()) + 1,
  );
}

function connect({ port: gateway, first }: ToReader): void {
  const ask = ({ id, question }: ArchiveRequest): void => {
    questions.ask(question, (answer) => gateway.postMessage({ id, answer } satisfies ArchiveResponse));
    watchTime();
  };
  gateways.push(gateway);
  ask(first);
  gateway.on('message', ask);
}

function close(): void {
  if (timer !== null) clearTimeout(timer);
  questions.close();
  for (const gateway of gateways) gateway.close();
  shadow.close();
  port.close();
}

shadow.on('message', (message: ReaderNews) => {
  if (message === 'opened') questions.forget();
  questions.lookAgain();
});
port.on('message', (message: ToReader | CloseMessage) => {
  if ('kind' in message) close();
  else connect(message);
});
