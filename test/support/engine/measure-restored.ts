/**
 * Run as a program with --expose-gc: places bets with an Idempotency-Key each, makes a second engine from the first
 * one's tables, and prints the bytes of both, as JSON. A process of its own, so that nothing else is measured.
 */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { BusyEngine } from './busy-engine.js';
import { rowsOf } from './snapshots.js';

const collectGarbage = must(globalThis.gc, 'the flag --expose-gc');

function heldBytes(): number {
  // Array buffers are given back beside the program: the second collection waits for the first one's.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
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
process.stdout.write(JSON.stringify({ bets: second.betCount, originalBytes, restoredBytes }));
