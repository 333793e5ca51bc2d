/**
 * Run as a program with --expose-gc: places open bets with their idempotency entries, and prints how many bytes each
 * has added, as JSON. A process of its own, so that nothing else is measured.
 */
import { equal } from 'node:assert/strict';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { plainOrder } from '../engine/plain-order.js';
import { BTC_15M, DAY_MS, rulesFor } from './exchange.js';

const BETS = Number(process.argv[2]);
const BETS_EACH = 10_000;
const collectGarbage = must(globalThis.gc, 'the flag --expose-gc');

function usedBytes(): number {
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

const engine = new Engine();
const rules = rulesFor([BTC_15M]);
engine.apply({ kind: 'configure', timeMs: DAY_MS, rulesVersion: 1, rules });
engine.apply({ kind: 'depositHouse', timeMs: DAY_MS, amountCents: 1_000_000_00, reference: 'capital' });
for (let account = 0; account < BETS / BETS_EACH; account++) {
  engine.apply({ kind: 'createAccount', timeMs: DAY_MS, name: null, tier: 2, balanceCents: 1_000_000_00 });
}
const opening = { asset: 0, price: 100, priceTimeMs: DAY_MS, source: null, evidence: '' };
engine.apply({ kind: 'openLate', timeMs: DAY_MS, ...opening });

const beforeBytes = usedBytes();
placeAll(engine);
const bytesEach = (usedBytes() - beforeBytes) / BETS;
process.stdout.write(JSON.stringify({ bets: engine.betCount, bytesEach }));
