/** Maps each command to its handler. */
import { unreachable } from '../base/assert.js';
import type { Command, PlaceOrder } from '../model/commands.js';
import type { ErrorCode } from '../model/errors.js';
import type { Effect, State } from '../state/state.js';
import { createAccount, transfer, transferHouse, updateAccount } from './accounts.js';
import { fillOrders } from './fills.js';
import { createKey, expireKey, rotateKey, setDeadman, updateKey } from './keys.js';
import { advance, boundaryPrice, voidRound } from './lifecycle.js';
import { cancelOrder, cancelOrders, expireOrders } from './limit-orders.js';
import { openLate } from './opening.js';
import { publishRoot } from './roots.js';
import * as settings from './settings.js';
import { settle } from './settlement.js';

/**
 * Executes any command but an order. The state has changed only if the effect is a list of events. `gate` refuses
 * requests of accounts, as in `placeOrder`.
 */
export function dispatch(
  state: State,
  command: Exclude<Command, PlaceOrder>,
  gate: ErrorCode | null,
): Effect {
  switch (command.kind) {
    case 'cancelOrder':
      return cancelOrder(state, command, gate);
    case 'cancelOrders':
      return cancelOrders(state, command, gate);
    case 'fillOrders':
      return fillOrders(state, command);
    case 'expireOrders':
      return expireOrders(state, command);
    case 'advance':
      return moved(state, advance(state, command));
    case 'boundaryPrice':
      return moved(state, boundaryPrice(state, command));
    case 'openLate':
      return moved(state, openLate(state, command));
    case 'settle':
      return moved(state, settle(state, command));
    case 'voidRound':
      return moved(state, voidRound(state, command));
    case 'publishRoot':
      return moved(state, publishRoot(state, command));
    case 'configure':
      return settings.configure(state, command);
    case 'declareSetup':
      return settings.declareSetup(state, command);
    case 'setCalendar':
      return settings.setCalendar(state, command);
    case 'setTrading':
      return settings.setTrading(state, command);
    case 'suspendMarket':
      return settings.suspendMarket(state, command);
    case 'createAccount':
      return createAccount(state, command);
    case 'updateAccount':
      return updateAccount(state, command);
    case 'deposit':
    case 'withdraw':
      return transfer(state, command);
    case 'depositHouse':
    case 'withdrawHouse':
      return transferHouse(state, command);
    case 'createKey':
      return createKey(state, command);
    case 'updateKey':
      return updateKey(state, command);
    case 'expireKey':
      return expireKey(state, command);
    case 'rotateKey':
      return rotateKey(state, command);
    case 'setDeadman':
      return setDeadman(state, command, gate);
    case 'moveClock':
      return settings.moveClock(state, command);
    case 'confirmPrice':
      return settings.confirmPrice(command);
    default:
      return unreachable(command);
  }
}

/** Records a command that changed rounds. Account reads show the state of rounds, so they wait until it is durable. */
function moved(state: State, effect: Effect): Effect {
  if (Array.isArray(effect)) state.lifecycleSeq = state.nextSeq;
  return effect;
}
