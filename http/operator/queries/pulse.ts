/** The few facts beside the board that the console shows each second. Like the status page they do not wait for the journal. */
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import type { Totals } from '../../../engine/model/views.js';
import { type LeaderLog, type LeaderStatus, leaderStatus } from '../../metrics/replication.js';
import { type CommandOptions, unconfirmedMs } from './commands.js';

export interface Pulse {
  /** The engine's clock. */
  readonly timeMs: number;
  readonly isClockManual: boolean;
  /** What the clock says that somebody has to confirm; null if nobody has. */
  readonly unconfirmedMs: number | null;
  readonly seq: number;
  readonly durableSeq: number;
  /** Commands that are not durable. */
  readonly backlog: number;
  readonly trading: { readonly enabled: boolean; readonly reason: string };
  /** Why new orders are refused now, or null. */
  readonly ordersRefused: string | null;
  readonly totals: Totals;
  readonly accounts: number;
  readonly keys: number;
  readonly bets: number;
  /** Rounds that have ended and are not settled. */
  readonly unsettled: number;
  /** Markets by index. */
  readonly suspended: readonly number[];
  /** null where the journal is on this machine alone. */
  readonly replication: LeaderStatus | null;
}

export function pulse(
  { sequencer, manualRun }: Pick<CommandOptions, 'sequencer' | 'manualRun'>,
  log: LeaderLog | null,
): Pulse {
  const { engine } = sequencer;
  const { trading } = engine;
  const suspended: number[] = [];
  for (let market = 0; market < MARKETS_MAX; market++) if (engine.isSuspended(market)) suspended.push(market);
  return {
    timeMs: sequencer.stampMs(),
    isClockManual: manualRun !== null,
    unconfirmedMs: unconfirmedMs(sequencer),
    seq: engine.seq,
    durableSeq: sequencer.durableSeq,
    backlog: sequencer.backlogCommands,
    trading: { ...trading },
    ordersRefused: trading.enabled ? sequencer.gate : 'trading_disabled',
    totals: { ...engine.totals() },
    accounts: engine.accountCount,
    keys: engine.keyCount,
    bets: engine.betCount,
    unsettled: engine.unsettledRounds().length,
    suspended,
    replication: leaderStatus(log),
  };
}
