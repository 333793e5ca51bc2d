/**
 * Queries that change something, on the engine's thread. Every command of an operator goes through here, so none
 * reaches the journal without its sender and reason. The result has the changed account, keys or transfer as they are
 * right after the command.
 */
import { must } from '../../../engine/base/assert.js';
import type { ManualRun } from '../../../engine/host/manual-run.js';
import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { ConfirmPrice } from '../../../engine/model/commands.js';
import { ASSETS, type By, textAt } from '../../../engine/model/domain.js';
import type { BalanceMoved, Outcome } from '../../../engine/model/events.js';
import type { OperatorCommand } from '../../../engine/model/operators.js';
import { RULES_VERSION, type Rules } from '../../../engine/model/rules.js';
import type { AccountView, KeyView } from '../../../engine/model/views.js';
import type { PushFeed } from '../../../feeds/push-feed.js';
import { Refused, refuse, refuseInvalid } from '../../kit/refused.js';
import type { Reply } from './reads.js';

export const OUTDATED = new Refused(
  'preview_outdated',
  'somebody has changed it since it was seen; look at it again',
);

/** The price that an operator has seen may differ by this part from the one that is held back now. */
const SEEN_WITHIN = 0.01;

/** An operator's watch may differ by this from the clock that it confirms. */
const WATCH_OFF_MS_MAX = 60_000;

/** The answer waits for the rounds that these may open or settle. */
const MOVES_ROUNDS: readonly string[] = ['suspendMarket', 'voidRound', 'depositHouse', 'withdrawHouse'];

export interface CommandOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  /** null if prices come from another feed. */
  readonly pushFeed: PushFeed | null;
  /** null if the clock is the system's. */
  readonly manualRun: ManualRun | null;
}

type Untimed<C> = C extends unknown ? Omit<C, 'timeMs' | 'by'> : never;

/** The engine's thread adds the time and the sender. */
export type UntimedCommand = Untimed<
  Exclude<OperatorCommand, { readonly kind: 'configure' | 'confirmPrice' | 'moveClock' | 'rotateKey' }>
>;

/** `timeMs` is null for the engine's present time. */
export interface PushedTick {
  readonly asset: number;
  readonly price: number;
  readonly timeMs: number | null;
}

/** `index` is the tick's place in the request. */
interface RefusedTick {
  readonly index: number;
  readonly detail: string;
}

/** No command behind `seq` has changed the rules. */
interface NumberedRules {
  readonly rules: Rules;
  readonly rulesVersion: number;
  readonly seq: number;
}

interface Sent {
  readonly by: By;
}
interface Command extends Sent {
  readonly command: UntimedCommand;
  /** The state before, as the sender knows it; a field that is left out may be anything. */
  readonly seen?: Partial<AccountView & Sequencer['engine']['trading'] & SuspensionView>;
}
interface SuspensionView {
  readonly suspendedSeq: number;
}
interface Rotation extends Sent {
  readonly key: number;
  /** The old key stays good for so long. */
  readonly overlapMs: number;
  readonly digest: string;
  readonly expiresAtMs: number | null;
  readonly seen: Partial<KeyView>;
}
type Confirmation = Sent & Pick<ConfirmPrice, 'asset' | 'price' | 'reason'>;

type Accepted = Exclude<Outcome, { status: 'rejected' }>;

export class OperatorCommands {
  /** No action of an operator has a higher number than this one. */
  #lastSeq: number;
  /**
   * The rules in force when they were looked at last, and the last command when they were first seen: later ones kept
   * them.
   */
  #rulesSeen: { readonly rules: Rules | null; readonly seq: number } = { rules: null, seq: 0 };

  constructor(private readonly options: CommandOptions) {
    this.#lastSeq = options.sequencer.engine.seq;
  }

  readonly command = ({ command, by, seen = {} }: Command): Reply<CommandResult> => {
    const { engine } = this.options.sequencer;
    if (command.kind === 'updateAccount') refuseOutdated(seen, engine.account(command.account));
    if (command.kind === 'setTrading') refuseOutdated(seen, engine.trading);
    if (command.kind === 'suspendMarket' && command.market >= 0)
      refuseOutdated<SuspensionView>(seen, { suspendedSeq: engine.suspendedSeq(command.market) });
    const timeMs = this.options.sequencer.stampMs();
    if ('expiresAtMs' in command && command.expiresAtMs !== null && command.expiresAtMs <= timeMs)
      refuseInvalid('expiresAt is past');
    const outcome = this.#submit({ ...command, timeMs }, by);
    const after = MOVES_ROUNDS.includes(command.kind) ? 'all' : outcome.seq;
    return { result: resultOf(outcome, this.options.sequencer), after };
  };

  readonly rotateKey = ({
    key,
    digest,
    overlapMs,
    expiresAtMs,
    by,
    seen,
  }: Rotation): Reply<CommandResult> => {
    const before = this.options.sequencer.engine.key(key);
    refuseOutdated(seen, before);
    const timeMs = this.options.sequencer.stampMs();
    // Each rotation changes the expiry, also of a key that ends within the overlap: `seen` is good for one.
    const overlapEndsMs = Math.min(timeMs + overlapMs, (before.expiresAtMs ?? Number.POSITIVE_INFINITY) - 1);
    if (expiresAtMs !== null && expiresAtMs <= overlapEndsMs)
      refuseInvalid('expiresAt must be after the overlap');
    const command = { kind: 'rotateKey', timeMs, key, overlapEndsMs, digest, expiresAtMs } as const;
    const outcome = this.#submit(command, by);
    return { result: resultOf(outcome, this.options.sequencer), after: outcome.seq };
  };

  readonly rules = (): Reply<NumberedRules> => {
    const { engine } = this.options.sequencer;
    const rules = must(engine.rules, 'rules in force');
    if (this.#rulesSeen.rules !== rules) this.#rulesSeen = { rules, seq: engine.seq };
    const { seq } = this.#rulesSeen;
    return { result: { rules, seq, rulesVersion: engine.rulesVersion }, after: engine.seq };
  };

  /** Refused if the rules were changed after `seq`; the result is the command's number. */
  readonly configure = (given: Sent & Pick<NumberedRules, 'rules' | 'seq'>): Reply<number> => {
    const { rules, seq: seen, by } = given;
    if (this.rules().result.seq !== seen) throw OUTDATED;
    const timeMs = this.options.sequencer.stampMs();
    const { seq } = this.#submit({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules }, by);
    this.#rulesSeen = { rules, seq };
    return { result: seq, after: seq };
  };

  /**
   * Believes the price of the asset that is held back, the last of those that agree; refused if none like `price` is.
   * The confirmation is journaled before it takes effect. The result is the price.
   */
  readonly confirmPrice = ({ asset, price: seen, reason, by }: Confirmation): Reply<number> => {
    const { tracker, sequencer } = this.options;
    const held = tracker.held(asset);
    if (held === null) return refuse('price_not_held', `no price of ${textAt(ASSETS, asset)} is held back`);
    const { price } = held.last;
    if (Math.abs(price - seen) > SEEN_WITHIN * price)
      refuse('price_not_held', `the price that is held back is ${price}, not ${seen}`);
    const timeMs = sequencer.stampMs();
    this.#submit({ kind: 'confirmPrice', timeMs, asset, price, reason }, by);
    tracker.confirmHeld(asset, timeMs);
    return { result: price, after: 'all' };
  };

  /** Each tick is checked on its own, in order, as from any feed. If all are refused, the answer waits for nothing. */
  readonly pushPrices = ({
    ticks,
  }: {
    readonly ticks: readonly PushedTick[];
  }): Reply<readonly RefusedTick[]> => {
    const feed = this.options.pushFeed;
    if (feed === null)
      return refuse('feed_not_push', 'prices come from another feed: start with TOTE_FEED=push');
    const nowMs = this.options.sequencer.stampMs();
    const refused = ticks.flatMap(({ asset, price, timeMs }, index) => {
      const verdict = feed.offer(asset, price, timeMs ?? nowMs);
      return verdict.taken ? [] : [{ index, detail: verdict.detail }];
    });
    return { result: refused, after: refused.length === ticks.length ? 0 : 'all' };
  };

  /** Only on a manual clock: all the lifecycle work on the way is durable when the answer comes, the time reached. */
  readonly moveClock = ({ advanceMs, by }: Sent & { readonly advanceMs: number }): Promise<Reply<number>> => {
    const { manualRun, sequencer } = this.options;
    if (manualRun === null)
      return refuse('clock_not_manual', "the clock is the system's: start with TOTE_CLOCK=manual");
    return manualRun.advance(advanceMs, by).then((timeMs) => {
      this.#lastSeq = sequencer.engine.seq;
      return { result: timeMs, after: 'all' };
    });
  };

  /**
   * Only while the clock has to be confirmed, and if it says about `timeMs`; the result is its time. That is journaled
   * first, and all work that was due meanwhile is done when the answer comes.
   */
  readonly confirmClock = ({ timeMs: watchMs, by }: Sent & { readonly timeMs: number }): Reply<number> => {
    const { sequencer } = this.options;
    const clockMs = unconfirmedMs(sequencer);
    if (clockMs === null)
      return refuseInvalid('the clock has nothing to confirm: see clock.condition in /status');
    if (Math.abs(clockMs - watchMs) > WATCH_OFF_MS_MAX) {
      const said = new Date(clockMs).toISOString();
      refuseInvalid(
        `time must be what the server's clock says, to the minute: it says ${said}. If it is wrong, set it right`,
      );
    }
    sequencer.wallClock.believe();
    const timeMs = sequencer.stampMs();
    this.#submit({ kind: 'moveClock', timeMs }, by);
    return { result: timeMs, after: 'all' };
  };

  /** The last command that is an operator's action, or earlier than the server's start. */
  readonly lastAction = (): Reply<number> => ({ result: this.#lastSeq, after: this.#lastSeq });

  #submit(command: OperatorCommand, by: By): Accepted {
    const { sequencer } = this.options;
    const outcome = sequencer.submit({ ...command, by });
    this.#lastSeq = sequencer.engine.seq;
    return outcome.status === 'rejected' ? refuse(outcome.code, outcome.detail) : outcome;
  }
}

export type CommandResult = Readonly<ReturnType<typeof resultOf>>;
/**
 * The changed objects as they are right after the command, which has this number in the journal; the new key is the last
 * one. `isReplay`: an earlier command with the same reference has done it.
 */
function resultOf(outcome: Accepted, { engine }: Sequencer) {
  const events = outcome.status === 'accepted' ? outcome.events : [outcome.event];
  let account: AccountView | null = null;
  let moved: BalanceMoved | null = null;
  const keys: KeyView[] = [];
  for (const event of events) {
    if (event.type === 'accountCreated' || event.type === 'accountUpdated')
      account = engine.account(event.account);
    else if (event.type === 'keyCreated' || event.type === 'keyUpdated')
      keys.push({ ...engine.key(event.key) });
    else if (event.type === 'balanceMoved') moved = event;
  }
  return { account, keys, moved, seq: outcome.seq, isReplay: outcome.status === 'replayed' };
}

/** The second of two operators would otherwise undo, unaware, what the first has just done. */
function refuseOutdated<View extends object>(seen: Partial<View>, now: View | null): void {
  for (const name in seen) if (now !== null && seen[name] !== now[name]) throw OUTDATED;
}

/** The clock's time while somebody has to confirm it; else null. */
export function unconfirmedMs({ wallClock }: Sequencer): number | null {
  return wallClock.condition === 'unconfirmed' ? wallClock.nowMs : null;
}
