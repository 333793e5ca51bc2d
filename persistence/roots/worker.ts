/** The thread that makes the roots of rounds, and signs them and the journal's heads. */
import { parentPort, workerData } from 'node:worker_threads';
import { signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { headStatement, type SignedHead } from '../../engine/proofs/statements.js';
import { JournalError } from '../errors.js';
import { toErrorParts } from '../journal/messages.js';
import { backgroundPace } from '../thread/pace.js';
import type { FromRootsThread, FromShadow, JournalHead, RootsOptions } from './messages.js';
import { RoundRoots } from './round-roots.js';

const port = must(parentPort, "the parent's port");
const { masterSecret, betHashes, signing, startSeq, shadow } = workerData as RootsOptions;
const post = (message: FromRootsThread): void => port.postMessage(message);
const { keyId } = signing;
const sign = signerOf(signing);
const pace = backgroundPace();
const rest = (): void => pace.rest();
const roots = new RoundRoots(masterSecret, { keyId, sign }, startSeq, betHashes, rest);

function signed({ seq, chain, timeMs }: JournalHead): SignedHead {
  const head = { seq, chain, time: isoText(timeMs) };
  return { ...head, keyId, signature: sign(headStatement(head)) };
}

shadow.on('message', (told: FromShadow) => {
  pace.begin();
  try {
    if ('chain' in told) post({ kind: 'head', head: signed(told) });
    else for (const root of roots.take(told)) post({ kind: 'root', root });
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
