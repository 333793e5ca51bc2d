/** The bytes that an order adds to the journal. The references commit as many for each of theirs. */
import { encodeCommand } from '../../engine/model/command-codec.js';
import { NO_FAIR_SHARE } from '../../engine/model/domain.js';

const DIGEST_48_BITS = 0x8123_4567_89ab;

/** Includes the comma; numbers have as many digits as in a run with `accounts` accounts. */
export function orderCommandBytes(market: number, accounts: number): number {
  const idempotency = { keyHigh: DIGEST_48_BITS, keyLow: DIGEST_48_BITS, body: DIGEST_48_BITS };
  const text = encodeCommand({
    kind: 'placeOrder',
    timeMs: Date.now(),
    account: accounts,
    key: accounts,
    market,
    side: 0,
    stakeCents: 100,
    fairShareE6: NO_FAIR_SHARE,
    expectedPercentE6: -1,
    idempotency,
    clientSeed: null,
  });
  return Buffer.byteLength(text) + 1;
}
