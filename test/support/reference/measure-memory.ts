/**
 * Run as a program with --expose-gc: prints the bytes of an engine and of a second one that is made from its tables, and
 * how many an open bet with its idempotency entry has. As JSON, and in a process of its own, so that nothing else is
 * measured.
 */
import { equal } from 'node:assert/strict';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { BusyEngine } from '../engine/busy-engine.js';
import { plainOrder } from '../engine/plain-order.js';
import { rowsOf } from '../engine/snapshots.js';
import { BTC_15M, DAY_MS, rulesFor } from './exchange.js';

const BETS = Number(process.argv[2]);
const BETS_EACH = 10_000;
const collectGarbage = must(globalThis.gc, 'the flag --expose-gc');

function heldBytes(): number {
  // Array buffers are given back beside the program: the second collection waits for the first one's.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function placeAll(engine: Engine): void {
  for (let index = 0; index < BETS; index++) {
    const outcome = engine.apply(
      plainOrder({
        timeMs: DAY_MS + Math.floor((index * 600_000) / BETS),
        account: 1 + (index % (BETS / BETS_EACH)),
        market: BTC_15M,
        side: index % 2,
        idempotency: { keyHigh: (index * 7_919) % 2 ** 48, keyLow: index, body: index % 1_000 },
      }),
    );
    equal(outcome.status, 'accepted');
  }
}

/** Rows are read as they are made: nothing of the tables is held. */
function restored(engine: Engine): Engine {
  return Engine.fromTables((name) => {
    for (const table of engine.exportTables()) if (table.form.name === name) return rowsOf(table);
    return [];
  });
}

const beforeBytes = heldBytes();
const busy = new BusyEngine(2_000);
for (let round = 0; round < 4; round += 1) busy.round(40_000);
const originalBytes = heldBytes() - beforeBytes;
const second = restored(busy.engine);
const restoredBytes = heldBytes() - beforeBytes - originalBytes;

const engine = new Engine();
engine.apply({ kind: 'configure', timeMs: DAY_MS, rulesVersion: 1, rules: rulesFor([BTC_15M]) });
engine.apply({ kind: 'depositHouse', timeMs: DAY_MS, amountCents: 1_000_000_00, reference: 'capital' });
for (let account = 0; account < BETS / BETS_EACH; account++) {
  engine.apply({ kind: 'createAccount', timeMs: DAY_MS, name: null, tier: 2, balanceCents: 1_000_000_00 });
}
const opening = { asset: 0, price: 100, priceTimeMs: DAY_MS, source: null, evidence: '' };
engine.apply({ kind: 'openLate', timeMs: DAY_MS, ...opening });

const emptyBytes = heldBytes();
placeAll(engine);
const bytesEach = (heldBytes() - emptyBytes) / BETS;
const bets = engine.betsPlaced + second.betsPlaced;
process.stdout.write(JSON.stringify({ bets, bytesEach, originalBytes, restoredBytes }));
