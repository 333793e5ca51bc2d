/** Maps each command to its handler. */
import type { Command, CommandKind, PlaceOrder } from '../model/commands.js';
import type { ErrorCode } from '../model/errors.js';
import type { Effect, State } from '../state/state.js';
import { createAccount, transfer, updateAccount } from './accounts.js';
import { fillOrders } from './fills.js';
import { createKey, expireKey, rotateKey, setDeadman, updateKey } from './keys.js';
import { advance, boundaryPrice, publishRoot, voidRound } from './lifecycle.js';
import { cancelOrder, cancelOrders, expireOrders } from './limit-orders.js';
import { openLate } from './opening.js';
import * as settings from './settings.js';
import { settle } from './settlement.js';

type Handler<Of> = (state: State, command: Of, gate: ErrorCode | null) => Effect;

const HANDLERS: {
  readonly [Kind in Exclude<CommandKind, 'placeOrder'>]: Handler<Extract<Command, { readonly kind: Kind }>>;
} = {
  cancelOrder,
  cancelOrders,
  fillOrders,
  expireOrders,
  advance: moving(advance),
  boundaryPrice: moving(boundaryPrice),
  openLate: moving(openLate),
  settle: moving(settle),
  voidRound: moving(voidRound),
  publishRoot: moving(publishRoot),
  configure: settings.configure,
  declareSetup: settings.declareSetup,
  setCalendar: settings.setCalendar,
  setTrading: settings.setTrading,
  suspendMarket: settings.suspendMarket,
  moveClock: settings.moveClock,
  confirmPrice: (_state, command) => settings.confirmPrice(command),
  createAccount,
  updateAccount,
  deposit: transfer,
  withdraw: transfer,
  depositHouse: transfer,
  withdrawHouse: transfer,
  createKey,
  updateKey,
  expireKey,
  rotateKey,
  setDeadman,
};

/** Records a command that changed rounds. Account reads show the state of rounds, so they wait until it is durable. */
function moving<Of>(handler: Handler<Of>): Handler<Of> {
  return (state, command, gate) => {
    const effect = handler(state, command, gate);
    if (Array.isArray(effect)) state.lifecycleSeq = state.nextSeq;
    return effect;
  };
}

/**
 * Executes any command but an order. The state has changed only if the effect is a list of events. `gate` refuses
 * requests of accounts, as in `placeOrder`.
 */
export function dispatch(
  state: State,
  command: Exclude<Command, PlaceOrder>,
  gate: ErrorCode | null,
): Effect {
  return (HANDLERS[command.kind] as Handler<Command>)(state, command, gate);
}
