/** Which commands `tote replay` shows: by kind, by account, by market, by operator. */
import type { Command, CommandKind } from '../../../engine/model/commands.js';
import { assetOf } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { Step } from '../../replay/history.js';

const KINDS: Readonly<Record<CommandKind, true>> = {
  configure: true,
  declareSetup: true,
  advance: true,
  setCalendar: true,
  boundaryPrice: true,
  openLate: true,
  confirmPrice: true,
  settle: true,
  placeOrder: true,
  cancelOrder: true,
  cancelOrders: true,
  fillOrders: true,
  expireOrders: true,
  createAccount: true,
  updateAccount: true,
  deposit: true,
  withdraw: true,
  depositHouse: true,
  withdrawHouse: true,
  createKey: true,
  updateKey: true,
  expireKey: true,
  rotateKey: true,
  setDeadman: true,
  setTrading: true,
  suspendMarket: true,
  voidRound: true,
  publishRoot: true,
  moveClock: true,
};
export const COMMAND_KINDS: readonly string[] = Object.keys(KINDS);

/** Absent fields filter nothing. */
export interface StepFilter {
  readonly kind?: string;
  readonly account?: number;
  readonly market?: number;
  readonly operator?: string;
}

export function isAbout(
  { command, events }: Omit<Step, 'engine'>,
  { kind, account, market, operator }: StepFilter,
): boolean {
  if (kind !== undefined && command.kind !== kind) return false;
  if (operator !== undefined && !('by' in command && command.by?.operator === operator)) return false;
  if (account !== undefined && !isAboutAccount(command, events, account)) return false;
  return market === undefined || isAboutMarket(command, events, market);
}

function isAboutAccount(command: Command, events: readonly EngineEvent[], account: number): boolean {
  if ('account' in command && command.account === account) return true;
  return events.some((event) => 'account' in event && event.account === account);
}

function isAboutMarket(command: Command, events: readonly EngineEvent[], market: number): boolean {
  if ('market' in command && command.market === market) return true;
  if (command.kind === 'confirmPrice') return command.asset === assetOf(market);
  return events.some(
    (event) =>
      ('market' in event && event.market === market) ||
      (event.type === 'boundaryPriced' && event.asset === assetOf(market)),
  );
}
