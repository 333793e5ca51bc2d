/** The entry of a thread that serves a port. Its first argument is the role, and it loads no other's code. */
import { parentPort } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { type FromGateway, type Serving, type ToGateway, WAKE } from './messages.js';
import { ThreadEnd, tellFailed } from './thread-end.js';

const port = must(parentPort, 'the port of a worker thread');
const post = (message: FromGateway): void => port.postMessage(message);
let serving: Serving | null = null;

const onUncaught = (error: unknown): void => {
  if (serving === null) tellFailed(post, error);
  else serving.fail(error);
};
process.on('uncaughtException', onUncaught);
process.on('unhandledRejection', onUncaught);

const isOperator = process.argv[2] === 'operator';
const { open } = await (isOperator ? import('./operator-gateway.js') : import('./ring-gateway.js'));

port.on('message', (message: ToGateway) => {
  try {
    if (message === WAKE || message.kind !== 'open') must(serving, 'an open gateway').take(message);
    else serving = open(message.setup, post, new ThreadEnd(message.setup.ended, () => port.close()));
  } catch (error) {
    tellFailed(post, error);
  }
});
