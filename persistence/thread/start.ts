import { type MessagePort, Worker } from 'node:worker_threads';

interface ThreadStart {
  readonly file: URL;
  readonly name: string;
  /** Its `workerData`; `transferred` is handed over, not copied. */
  readonly data: object;
  readonly transferred?: readonly (MessagePort | undefined)[];
}

export function startThread({ file, name, data, transferred = [] }: ThreadStart): Worker {
  const transferList = transferred.filter((port) => port !== undefined);
  return new Worker(file, { name, workerData: data, transferList });
}
