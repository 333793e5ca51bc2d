/** `tote rotate-signing-key`: makes a new signing key, and retires the one in use. */
import type { DataDir } from '../../data-dir/layout.js';
import { lockDataDir } from '../../data-dir/lock.js';
import { rotateSigningKeys } from '../../data-dir/signing-keys.js';
import { inspect } from '../../upkeep/inspect.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { fieldsOf } from '../frame/fields.js';

/**
 * Proofs say that no key signed after it was retired, or before it was made, so that is behind the journal's end, whatever
 * the clock says, and with a manual clock at it.
 */
function afterJournalMs(dir: DataDir): number {
  const { segments, setup } = inspect(dir);
  const nowMs = setup?.clock === 'manual' ? 0 : Date.now();
  return Math.max(nowMs, ...segments.map(({ lastTimeMs }) => lastTimeMs));
}

export const rotateSigningKeyCommand = defineCommand({
  details:
    'The server must be stopped. Its next start signs with the new key. The private half of the key in use is forgotten; its ' +
    'public half stays in the file signing-keys and at GET /keys, so that what it signed can be checked for ever. Publish ' +
    'the new public key where bettors find it, as the first one, and make a backup.',
  examples: [['rotate-signing-key data', 'the server on data signs with a new key from its next start on']],
  run: ({ dir, out }) => {
    const retiredMs = afterJournalMs(dir);
    using _lock = lockDataDir(dir);
    const { keyId, publicKey, all } = rotateSigningKeys(dir, retiredMs);
    const retired = all.filter(({ retiredAtMs }) => retiredAtMs !== null).map(fieldsOf);
    out.answer({ keyId, publicKey, retired });
    return EXIT.done;
  },
});
