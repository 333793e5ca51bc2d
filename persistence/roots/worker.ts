/** The thread that makes the roots of rounds and signs them. It works on what the shadow tells, and tells the event loop. */
import { parentPort, workerData } from 'node:worker_threads';
import { signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { JournalError } from '../errors.js';
import { toErrorParts } from '../journal/messages.js';
import type { FromRootsThread, RootNotes, RootsOptions } from './messages.js';
import { RoundRoots } from './round-roots.js';

const port = must(parentPort, "the parent's port");
const { masterSecret, signing, startSeq, shadow } = workerData as RootsOptions;
const post = (message: FromRootsThread): void => port.postMessage(message);
const roots = new RoundRoots(masterSecret, { keyId: signing.keyId, sign: signerOf(signing) }, startSeq);

shadow.on('message', (notes: RootNotes) => {
  try {
    for (const root of roots.take(notes)) post({ kind: 'root', root });
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    post({ kind: 'diverged', error: toErrorParts(thrown) });
  }
});
// The only message is the one to close.
port.on('message', () => {
  shadow.close();
  port.close();
});
