/** The memory of a retained bet, its idempotency entry included. */
import { equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BETS = 1_000_000;
const BYTES_EACH_MAX = 300;

test('a retained bet with its idempotency entry takes at most 300 bytes', (t) => {
  const program = join(
    fileURLToPath(import.meta.url),
    '..',
    '..',
    'support',
    'reference',
    'measure-memory.js',
  );
  const output = execFileSync(process.execPath, ['--expose-gc', program, String(BETS)], { encoding: 'utf8' });
  const { bets, bytesEach } = JSON.parse(output) as { bets: number; bytesEach: number };
  t.diagnostic(`${bytesEach.toFixed(1)} bytes for each of ${bets} bets`);
  equal(bets, BETS);
  ok(bytesEach > 20, `${bytesEach} bytes are too few to be true`);
  ok(bytesEach <= BYTES_EACH_MAX, `${bytesEach} bytes each`);
});

test('an engine loaded from a snapshot uses no more memory than the original', (t) => {
  const program = fileURLToPath(new URL('../support/engine/measure-restored.js', import.meta.url));
  const output = execFileSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' });
  const { bets, originalBytes, restoredBytes } = JSON.parse(output) as Record<string, number>;
  t.diagnostic(`${restoredBytes} bytes against ${originalBytes}, ${bets} bets`);
  ok(Number(restoredBytes) > 10_000_000, 'too little to be true');
  ok(Number(restoredBytes) < 1.05 * Number(originalBytes), `${restoredBytes} bytes against ${originalBytes}`);
});
