/** A list shows each bet's own hash, whichever bets were listed before. */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import type { BetView } from '../../../engine/model/views.js';
import { HASHES_KEPT, ListedHashes } from '../../../http/wire/listed-hashes.js';

const ENTRY_PERCENT_E2 = 5_031;

const viewOf = (bet: number): BetView => ({
  bet,
  market: 0,
  roundNumber: 29_333_333,
  side: 1,
  stakeCents: 1_250,
  oddsE4: 19_876,
  limitOddsE4: 0,
  rested: false,
  filledAtMs: null,
  validUntilMs: null,
  entryPercentE2: ENTRY_PERCENT_E2,
  clientSeed: 'dé',
  clientOrderId: null,
  payoutCents: 2_410,
  status: 'ACTIVE',
  result: 0,
  paidCents: null,
  placedAtMs: 1_760_000_000_000,
  settledAtMs: null,
  roundStatus: 1,
  roundEndTimeMs: 1_760_000_040_000,
});

test('a hash is that of the bet, also where bets share a place, and is made once while it is kept', () => {
  let hashed = 0;
  const counting = new RoundSeeds(Buffer.alloc(32, 7), {
    ...FAIRNESS_TOOLS,
    sha256: (data) => {
      hashed += 1;
      return FAIRNESS_TOOLS.sha256(data);
    },
  });
  const seeds = new RoundSeeds(Buffer.alloc(32, 7), FAIRNESS_TOOLS);
  const hashes = new ListedHashes(counting);
  const shown = (bet: number): string => hashes.of(viewOf(bet), ENTRY_PERCENT_E2);
  const made = (bet: number): string => {
    const view = viewOf(bet);
    return seeds.betHash({ ...view, timeMs: view.placedAtMs, entryPercentE2: ENTRY_PERCENT_E2 });
  };
  for (const bet of [1, 2, 1, 2]) equal(shown(bet), made(bet));
  equal(hashed, 2);
  for (const bet of [1 + HASHES_KEPT, 1, 2 * HASHES_KEPT, 2]) equal(shown(bet), made(bet));
  equal(hashed, 5);
});
