/** `tote snapshot`: writes the present state as a snapshot, with or without a running server. */
import { mkdirSync } from 'node:fs';
import { newSha256 } from '../../../crypto/sha256.js';
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import { fileBytes } from '../../data-dir/files.js';
import { JournalError } from '../../errors.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { SnapshotJson } from '../answers/answers.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { bytesText } from '../frame/output.js';
import { Look } from '../past/look.js';

export const snapshotCommand = defineCommand({
  details:
    'Replays the journal from the newest good snapshot to its end and writes the state as a new snapshot, without ' +
    'disturbing a running server. The next start is then as fast as possible, and "prune" may delete more. ' +
    'The server itself writes snapshots, too (TOTE_SNAPSHOT_COMMANDS, and after 15 minutes), and removes the oldest.',
  examples: [
    ['snapshot', 'before a restart that must be quick'],
    ['snapshot /var/lib/tote --json', 'for a script: "seq" and "path"'],
  ],
  run: (context) => {
    const { dir, out } = context;
    const { engine, chain } = Look.at(context, 'replaying', presentState, true);
    mkdirSync(dir.snapshots, { recursive: true, mode: 0o700 });
    const { name } = new SnapshotFiles(dir.snapshots).save(engine, chain);
    const facts = { seq: engine.seq, time: isoText(engine.timeMs), path: name, bytes: fileBytes(name) };
    const stateDigest = engine.stateDigest(newSha256);
    if (out.isJson) out.document({ ...facts, stateDigest } satisfies SnapshotJson);
    else {
      out.facts([
        ['snapshot', name],
        ['last command', `${facts.seq} of ${facts.time}`],
        ['size', bytesText(facts.bytes)],
        ['state digest', stateDigest],
      ]);
    }
    return EXIT.done;
  },
});

function presentState(look: Look): { readonly engine: Engine; readonly chain: string } {
  const endSeq = look.lastSeq;
  if (endSeq === 0)
    throw new JournalError('not_found', 'Nothing has happened yet: there is no state to write down.');
  const engine = look.history.startFor(endSeq);
  for (const { seq } of look.replay(engine, endSeq)) assert(seq <= endSeq, 'a step too many');
  return { engine, chain: must(look.journal.chainAt(endSeq), 'the end of a batch') };
}
