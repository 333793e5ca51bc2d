/** An order as the engine gets it: a test names only the facts that it is about. */
import type { PlaceOrder } from '../../../engine/model/commands.js';
import { NO_END, NO_FAIR_SHARE, NO_LIMIT } from '../../../engine/model/domain.js';

type Needed = 'timeMs' | 'account' | 'market';

/** A dollar on UP, with nothing optional. */
export const plainOrder = (
  facts: Pick<PlaceOrder, Needed> & Partial<Omit<PlaceOrder, 'kind'>>,
): PlaceOrder => ({
  kind: 'placeOrder',
  key: 1,
  side: 0,
  stakeCents: 1_00,
  fairShareE6: NO_FAIR_SHARE,
  expectedPercentE6: -1,
  limitOddsE4: NO_LIMIT,
  validUntilMs: NO_END,
  idempotency: null,
  clientSeed: null,
  clientOrderId: null,
  ...facts,
});
