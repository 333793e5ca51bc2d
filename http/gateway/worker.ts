/** The entry of a gateway's thread. */
import { parentPort } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { Gateway } from './gateway.js';
import { type FromGateway, type ToGateway, WAKE } from './messages.js';

const port = must(parentPort, 'the port of a worker thread');
const post = (message: FromGateway): void => port.postMessage(message);
let gateway: Gateway | null = null;

const fail = (error: unknown): void =>
  post({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

port.on('message', (message: ToGateway) => {
  if (message === WAKE) gateway?.drain();
  else if (message.kind === 'open') {
    gateway = new Gateway(message.setup, post);
    void gateway.join();
  } else handle(must(gateway, 'an open gateway'), message);
});

function handle(open: Gateway, message: Exclude<ToGateway, typeof WAKE>): void {
  switch (message.kind) {
    case 'accept':
      void open.accept(message.descriptors, message.host, message.port);
      return;
    case 'serve':
      open.setRules(message.rules);
      open.serve();
      return;
    case 'rules':
      open.setRules(message.rules);
      return;
    case 'close':
      void open.close().then(() => port.close());
      return;
    case 'halt':
      open.halt();
      port.close();
      return;
    default:
      return;
  }
}
