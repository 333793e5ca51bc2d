/** Limit orders on the engine's thread: the command of one, and its cancellation. */
import { must } from '../../engine/base/assert.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { NO_LIMIT } from '../../engine/model/domain.js';
import type { PlaceLimitOrder } from '../../engine/model/orders.js';
import * as replies from '../rings/replies.js';
import type { Asker } from '../rings/requests.js';
import type { GatewayEnd } from '../rings/service.js';

/** A limit order where it names odds. */
export function limited(order: PlaceOrder, limitOddsE4: number): PlaceOrder | PlaceLimitOrder {
  if (limitOddsE4 === NO_LIMIT) return order;
  const { kind: _kind, expectedPercentE6: _percent, ...facts } = order;
  return { ...facts, kind: 'placeLimitOrder', limitOddsE4 };
}

/** Cancels an order that rests, and answers with what has become of it once that is durable. */
export function cancelOrder(
  sequencer: Sequencer,
  { account, key }: Asker,
  bet: number,
  gateway: GatewayEnd,
  ticket: number,
): void {
  const { engine } = sequencer;
  const timeMs = sequencer.stampMs();
  const outcome = sequencer.submit({ kind: 'cancelOrder', timeMs, account, key, bet });
  if (outcome.status === 'rejected') {
    gateway.reply((to) => replies.sendRefusal(to, ticket, outcome));
    return;
  }
  const order = must(engine.order(account, bet), 'the order that was cancelled');
  // It shows its round's state, so the round's last step must be durable, too.
  const seq = Math.max(outcome.seq, engine.lifecycleSeq);
  sequencer.whenDurable(seq, () => gateway.reply((to) => replies.sendBets(to, ticket, [order], [])));
}
