/** `tote init`: the data directory of a new exchange, whose first command is the deposit of the house's money. */
import { InvalidArgumentError, Option } from 'commander';
import { dollars } from '../../../config/config-values.js';
import { CAPITAL_REFERENCE } from '../../../engine/host/bootstrap.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import { openOperatorToken } from '../../data-dir/secrets.js';
import { JournalError } from '../../errors.js';
import { commitBatch } from '../../journal/commit.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { SqliteStore } from '../../journal/store.js';
import { openStore } from '../../recovery/open-store.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { readAs } from '../frame/options.js';

const clock = { nowMs: Date.now, monotonicMs: () => Math.floor(performance.now()) };

export const initCommand = defineCommand<{ readonly houseCapital: number }>({
  details:
    'A server with NODE_ENV=production starts on no other directory, so that a disk which is not mounted never passes for a first ' +
    'start. Run it as the user of the server. It makes the master secret, the signing key, the operator token, and a journal that ' +
    'begins with the deposit. Feed and rules are chosen by the first start. A directory that has an exchange is refused.',
  examples: [['init /var/lib/tote --house-capital 50,000', 'the house begins with 50,000 USD']],
  options: [
    new Option('--house-capital <dollars>', "the house's money, which open rounds take their seeds from")
      .argParser(parseCapital)
      .makeOptionMandatory(),
  ],
  needs: 'path',
  run: ({ dir, out }, { houseCapital: amountCents }) => {
    const known = new JournalError(
      'file_exists',
      `${dir.root} has an exchange already; nothing was changed.`,
    );
    if (acknowledgedSeq(dir.markFile) > 0) throw known;
    const { engine, signing, lock } = openStore(dir.root, clock, () => undefined);
    using _lock = lock;
    if (engine.seq > 0) throw known;
    const timeMs = clock.nowMs();
    const command = { kind: 'depositHouse', timeMs, amountCents, reference: CAPITAL_REFERENCE } as const;
    engine.apply(command);
    const journal = SqliteStore.open(dir, 'fsync');
    const commands = `[${encodeCommand(command)}]`;
    commitBatch(journal, { firstSeq: 1, lastSeq: 1, timeMs, commands, digest: engine.rollingDigest() });
    journal.close();
    openOperatorToken(dir);
    const { root: path, operatorTokenFile } = dir;
    out.answer({ path, houseCapitalCents: amountCents, publicKey: signing.publicKey, operatorTokenFile });
    return EXIT.done;
  },
});

function parseCapital(text: string): number {
  const cents = readAs(dollars)(text);
  if (cents > 0) return cents;
  throw new InvalidArgumentError('Expected more than 0: rounds without seeds do not open.');
}
