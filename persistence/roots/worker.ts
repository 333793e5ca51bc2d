/** The thread that makes the roots of rounds, and signs them and the journal's heads. */
import { parentPort, workerData } from 'node:worker_threads';
import { signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { headStatement, type SignedHead } from '../../engine/proofs/statements.js';
import { backgroundPace } from '../thread/pace.js';
import type { CloseMessage } from '../thread/thread.js';
import type { FromRootsThread, JournalHead, RootsOptions, ToRootsThread } from './messages.js';
import { RoundRoots, signedRoot } from './round-roots.js';

const port = must(parentPort, "the parent's port");
const { masterSecret, betHashes, signing, shadow } = workerData as RootsOptions;
const post = (message: FromRootsThread): void => port.postMessage(message);
const { keyId } = signing;
const sign = signerOf(signing);
const pace = backgroundPace();
const roots = new RoundRoots(masterSecret, betHashes, () => pace.rest());

function signedHead({ seq, chain, timeMs }: JournalHead): SignedHead {
  const head = { seq, chain, time: isoText(timeMs) };
  return { ...head, keyId, signature: sign(headStatement(head)) };
}

shadow.on('message', (head: JournalHead) => {
  pace.begin();
  post({ kind: 'head', head: signedHead(head) });
});
port.on('message', (message: ToRootsThread | CloseMessage) => {
  if ('kind' in message) {
    shadow.close();
    port.close();
    return;
  }
  pace.begin();
  for (const root of roots.take(message)) post({ kind: 'root', root: signedRoot(roots, root, keyId, sign) });
});
