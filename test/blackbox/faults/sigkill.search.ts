/**
 * SIGKILL in the middle of a concurrent load (design, "Faults").
 *
 * The order of commits: a command is in the journal before its answer is sent. So a crash may leave orders that were
 * never acknowledged, but may never lose one that was.
 */
import { after, before, test } from 'node:test';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { CrashBook } from '../../support/api/crash-book.js';
import { byEffort } from '../../support/effort.js';
import { newDiskDir } from '../../support/processes/server.js';
import { Rng } from '../../support/reference/random/rng.js';

const KILLS = byEffort({ test: 2, prove: 3, night: 12 });
const TRADERS = 32;
const CONNECTIONS = 48;
/** The process dies after so many acknowledgements of its life, at the least and at the most. */
const ACKNOWLEDGED_MIN = 20;
const ACKNOWLEDGED_MAX = 260;

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_261_121);
const rng = new Rng(seed);

let book: CrashBook;

before(async () => {
  const sandbox = await Sandbox.start({ dataDir: newDiskDir() });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  book = new CrashBook(sandbox, rng);
  await book.addTraders(TRADERS);
});
after(() => book.sandbox.remove());

/** A few turns later, so that orders are on their way in every state when the process dies. */
async function killSoon(): Promise<void> {
  for (let turns = rng.integer(0, 8); turns > 0; turns--)
    await new Promise((resolve) => setImmediate(resolve));
  book.sandbox.server.run.signal('SIGKILL');
}

for (let kill = 1; kill <= KILLS; kill++) {
  test(`kill ${kill} of ${KILLS}, seed ${seed}`, async (context) => {
    await book.sandbox.openRounds({ BTC: 67_000 });
    const killAfter = rng.integer(ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX);
    await book.loadUntilGone(CONNECTIONS, (acknowledged) => {
      if (acknowledged === killAfter) void killSoon();
    });
    book.sandbox = await Sandbox.start({ dataDir: book.sandbox.server.dataDir });
    const { acknowledged, survived, lost } = await book.audit();
    context.diagnostic(
      `killed after ${killAfter} answers: ${acknowledged} acknowledged; of ${survived + lost} others ` +
        `${survived} had been placed, ${lost} had not`,
    );
  });
}

test('after all kills the open bets settle, each once', async () => {
  await book.sandbox.openRounds({ BTC: 67_000 });
  await book.sandbox.closeMinute({ BTC: 67_001 });
  await book.checkSettled('BTC_ONE_MINUTE');
});
