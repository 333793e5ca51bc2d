/** The thread that makes the roots of rounds, and signs them. */
import { parentPort, workerData } from 'node:worker_threads';
import { signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { backgroundPace } from '../thread/pace.js';
import type { CloseMessage } from '../thread/thread.js';
import type { RootsOptions, ToRootsThread } from './messages.js';
import { RoundRoots, signedRoot } from './round-roots.js';

const port = must(parentPort, "the parent's port");
const { masterSecret, betHashes, signing } = workerData as RootsOptions;
const { keyId } = signing;
const sign = signerOf(signing);
const pace = backgroundPace();
const roots = new RoundRoots(masterSecret, betHashes, () => pace.rest());

port.on('message', (message: ToRootsThread | CloseMessage) => {
  if ('kind' in message) {
    port.close();
    return;
  }
  pace.begin();
  for (const root of roots.take(message)) port.postMessage(signedRoot(roots, root, keyId, sign));
});
