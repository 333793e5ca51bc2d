/** The memory of a retained bet, its idempotency entry included. */
import { equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BETS = 1_000_000;
const BYTES_EACH_MAX = 200;

function measured(program: string, ...args: readonly string[]): Readonly<Record<string, number>> {
  const path = fileURLToPath(new URL(`../support/${program}`, import.meta.url));
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', path, ...args], { encoding: 'utf8' }));
}

test('a retained bet with its idempotency entry takes at most 200 bytes', (t) => {
  const { bets, bytesEach } = measured('reference/measure-memory.js', String(BETS));
  t.diagnostic(`${bytesEach?.toFixed(1)} bytes for each of ${bets} bets`);
  equal(bets, BETS);
  ok(Number(bytesEach) > 20, `${bytesEach} bytes are too few to be true`);
  ok(Number(bytesEach) <= BYTES_EACH_MAX, `${bytesEach} bytes each`);
});

test('an engine loaded from a snapshot uses no more memory than the original', (t) => {
  const { bets, originalBytes, restoredBytes } = measured('engine/measure-restored.js');
  t.diagnostic(`${restoredBytes} bytes against ${originalBytes}, ${bets} bets`);
  ok(Number(restoredBytes) > 10_000_000, 'too little to be true');
  ok(Number(restoredBytes) < 1.05 * Number(originalBytes), `${restoredBytes} bytes against ${originalBytes}`);
});
