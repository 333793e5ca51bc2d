/** The entry of a thread that serves a port. */
import { parentPort } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { loadDocs } from '../pages/docs-page.js';
import { RingLink } from '../rings/link.js';
import { Gateway } from './gateway.js';
import {
  type FromGateway,
  type GatewaySetup,
  type OperatorSetup,
  type Serving,
  type ToGateway,
  WAKE,
} from './messages.js';
import { OperatorGateway } from './operator-gateway.js';
import { ThreadEnd, tellFailed } from './thread-end.js';

const port = must(parentPort, 'the port of a worker thread');
const post = (message: FromGateway): void => port.postMessage(message);
/**
 * Read before the network is opened, which a server that takes over does not wait for. The first argument is the role.
 */
const docs = process.argv[2] === 'public' ? loadDocs() : null;
let serving: Serving | null = null;
let link: RingLink | null = null;

const onUncaught = (error: unknown): void => {
  if (serving === null) tellFailed(post, error);
  else serving.fail(error);
};
process.on('uncaughtException', onUncaught);
process.on('unhandledRejection', onUncaught);

port.on('message', (message: ToGateway) => {
  try {
    if (message === WAKE) link?.drain();
    if (message === WAKE || message.kind !== 'open') must(serving, 'an open gateway').take(message);
    else serving = open(message.setup);
  } catch (error) {
    tellFailed(post, error);
  }
});

function open(setup: GatewaySetup | OperatorSetup): Serving {
  const end = new ThreadEnd(setup.ended, () => port.close());
  if (setup.role === 'operator') return new OperatorGateway(setup, post, end);
  const rings = must(setup.rings, 'the rings of a thread');
  link = new RingLink(rings, { schedule: setImmediate, wake: () => post(WAKE) });
  return new Gateway(setup, must(docs, "a public gateway's documents"), link, post, end);
}
