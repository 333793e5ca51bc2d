/** The memory of a retained bet, its idempotency entry included, and of an engine that was loaded from a snapshot. */
import { ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const BETS = 1_000_000;
const BYTES_EACH_MAX = 200;

test('a retained bet takes at most 200 bytes, and an engine loaded from a snapshot no more than the original', (t) => {
  const path = fileURLToPath(new URL('../support/reference/measure-memory.js', import.meta.url));
  const printed = execFileSync(process.execPath, ['--expose-gc', path, `${BETS}`], { encoding: 'utf8' });
  t.diagnostic(printed);
  const { bets, bytesEach, originalBytes, restoredBytes } = JSON.parse(printed);
  ok(bets > BETS && bytesEach > 20 && restoredBytes > 10_000_000, 'too little to be true');
  ok(bytesEach <= BYTES_EACH_MAX);
  ok(restoredBytes < 1.05 * originalBytes);
});
