/**
 * Paths from bets to the root of their round, from an archive that has all of the round, and from one that began in
 * it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openScenario, order } from '../../../../bench/engine/scenario.js';
import { FAIRNESS_TOOLS } from '../../../../crypto/hashes.js';
import { must } from '../../../../engine/base/assert.js';
import { RoundSeeds } from '../../../../engine/fairness.js';
import type { BetPath } from '../../../../engine/model/archive-reads.js';
import type { Command } from '../../../../engine/model/commands.js';
import { ASSETS, marketOf } from '../../../../engine/model/domain.js';
import { ArchiveReader } from '../../../../persistence/archive/reader/reader.js';
import { ArchiveWriter } from '../../../../persistence/archive/writer.js';
import { openDataDir } from '../../../../persistence/data-dir/layout.js';
import { CHAIN_START } from '../../../../persistence/journal/segment/batch-row.js';
import { rootMaker } from '../../../support/engine/signing.js';
import { temporaryDir } from '../../support/journal-files.js';

const MARKET = marketOf('BTC_ONE_MINUTE');
const ACCOUNTS = 10;
const SECRET = Buffer.alloc(32, 7);

/** The archive begins when `before` bets are placed. */
function pathsOf(t: TestContext, bets: number, before: number): (BetPath | null)[] {
  const { engine } = openScenario(ACCOUNTS, bets);
  const dir = openDataDir(temporaryDir(t));
  let archive: ArchiveWriter | null = null;
  const position = () => {
    const { seq, timeMs } = engine;
    return { seq, timeMs, digest: engine.rollingDigest(), chain: CHAIN_START };
  };
  const apply = (command: Command): void => {
    const outcome = engine.apply(command);
    assert.ok(outcome.status === 'accepted', JSON.stringify(outcome));
    archive?.add(outcome.seq, command, outcome.events);
  };
  for (let n = 0; n < bets; n++) {
    if (n === before) {
      archive = ArchiveWriter.create(dir, position(), engine, 1);
      archive.follow(engine);
    }
    apply({ ...order(n, ACCOUNTS), market: MARKET, side: n % 2 });
  }
  const { lockTimeMs, endTimeMs: timeMs, roundNumber } = must(engine.currentRound(MARKET), 'a round');
  apply({ kind: 'advance', timeMs: lockTimeMs });
  for (const root of rootMaker(engine, SECRET)()) apply({ kind: 'publishRoot', timeMs: lockTimeMs, ...root });
  apply({ kind: 'advance', timeMs });
  ASSETS.forEach((_, asset) => {
    const priced = { boundaryMs: timeMs, price: 101, priceTimeMs: timeMs, source: null, evidence: '' };
    apply({ kind: 'boundaryPrice', timeMs, asset, ...priced });
  });
  while (engine.settlementsWaiting) apply({ kind: 'settle', timeMs, betsMax: 1_000 });
  const whole = must(archive, 'an archive');
  whole.commit(position());
  whole.close();
  const reader = must(ArchiveReader.open(dir.archiveFile), 'the archive');
  t.after(() => reader.close());
  const seed = new RoundSeeds(SECRET, FAIRNESS_TOOLS).seed(MARKET, roundNumber);
  return Array.from({ length: bets }, (_, n) => {
    for (;;) {
      const ofRound = { kind: 'betPath', market: MARKET, roundNumber, seed, reachedSeq: 0 } as const;
      const found = reader.answer({ ...ofRound, bet: n + 1 });
      if (found !== null) return found.answer as BetPath | null;
      assert.ok(reader.takeUnfinished(), 'the tree is made a slice at a time');
    }
  });
}

test('every bet has its way to the root, in a tree that is made in several slices', (t) => {
  const paths = pathsOf(t, 4_321, 0);
  const leaves = paths.map((path) => path?.leafIndex);
  assert.deepEqual(leaves, [...paths.keys()]);
});

test('an archive that began in the round has none, and does not take itself for damaged', (t) => {
  assert.deepEqual(pathsOf(t, 5, 3), [null, null, null, null, null]);
});
