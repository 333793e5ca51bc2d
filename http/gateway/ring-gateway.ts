/** A gateway on a thread of its own, which asks the engine's thread through rings. */
import { assert, must } from '../../engine/base/assert.js';
import { loadDocs } from '../pages/docs-page.js';
import { RingLink } from '../rings/link.js';
import { Gateway } from './gateway.js';
import { type GatewaySetup, type OperatorSetup, type Post, type Serving, WAKE } from './messages.js';
import type { ThreadEnd } from './thread-end.js';

/** Read before the network is opened, which a server that takes over does not wait for. */
const docs = loadDocs();

export function open(setup: GatewaySetup | OperatorSetup, post: Post, end: ThreadEnd): Serving {
  assert(setup.role === 'public', "a thread gets its own role's setup");
  const rings = must(setup.rings, 'the rings of a thread');
  const link = new RingLink(rings, { schedule: setImmediate, wake: () => post(WAKE) });
  const gateway = new Gateway(setup, docs, link, post, end);
  return {
    fail: (error) => gateway.fail(error),
    take(message) {
      if (message === WAKE) link.drain();
      gateway.take(message);
    },
  };
}
