/**
 * Logs news for operators: voided or unopened rounds, a silent feed, trouble with clock or disk. There is one line for
 * each change, and none while nothing changes.
 */

import type { OrderTimes } from '../../../engine/host/order-times.js';
import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { ASSETS, accountId, marketId, RESULT_VOID, roundId, textAt } from '../../../engine/model/domain.js';
import type {
  BalanceMoved,
  EngineEvent,
  RoundNotOpened,
  RoundResolved,
} from '../../../engine/model/events.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import type { PriceTick } from '../../../engine/model/ports.js';
import type { AssetsAt } from '../../../feeds/silent-assets.js';
import type { Log } from '../../../process/log/log.js';
import type { DiskSpace } from '../../../process/shutdown.js';
import { ARCHIVE_BEHIND_COMMANDS } from '../../metrics/alarm-list.js';
import { type LeaderLog, refusedAs } from '../../metrics/replication.js';
import { awaitedPrices, marketsWithoutCapital, type ShadowView } from '../queries/status.js';

/** A feed that alternates between two prices has one line in this time. */
const HELD_EVERY_MS = 60_000;

export interface HealthLogOptions extends MinuteLogOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly shadow: () => ShadowView;
  readonly disk: () => DiskSpace;
  readonly silentAssets: AssetsAt;
  /** null where the journal is on this machine alone. */
  readonly replicatedLog: () => LeaderLog | null;
}

export class HealthLog {
  readonly #conditions = new Map<string, string>();
  readonly #heldLoggedMs: number[] = [];

  readonly #archiveLag: ArchiveLag;
  readonly #minutes: MinuteLog;
  readonly #rounds: RoundLines;

  constructor(private readonly options: HealthLogOptions) {
    this.#rounds = new RoundLines(options.log);
    this.#archiveLag = new ArchiveLag(options.log);
    this.#minutes = new MinuteLog(options);
    options.tracker.onHeld((tick, latest) => this.#onHeld(tick, latest));
    options.sequencer.onEvents((seq, events) => this.#onEvents(seq, events));
  }

  #onEvents(sequence: number, events: readonly EngineEvent[]): void {
    const { log } = this.options;
    for (const event of events) {
      if (event.type === 'roundResolved' || event.type === 'roundNotOpened') {
        this.#rounds.add(sequence, event);
      } else if (event.type === 'balanceMoved') {
        this.#onMoney(sequence, event);
      } else if (event.type === 'configured') {
        log.write('rules_in_force', { sequence });
      } else if (event.type === 'tradingChanged') {
        log.write('trading_switched', { sequence, ...this.options.sequencer.engine.trading });
      } else if (event.type === 'priceConfirmed') {
        const { asset, price, reason } = event;
        log.write('price_confirmed', { sequence, crypto: textAt(ASSETS, asset), price, reason });
      } else if (event.type === 'lossLimitReached') {
        const { scope, lostCents, limitCents } = event;
        log.write('loss_limit_reached', {
          sequence,
          scope: textAt(LOSS_SCOPES, scope),
          lostCents,
          limitCents,
        });
      } else if (event.type === 'marketSuspended') {
        const isSuspended = this.options.sequencer.engine.isSuspended(event.market);
        const market = marketId(event.market);
        log.write(isSuspended ? 'market_suspended' : 'market_resumed', { sequence, market });
      }
    }
  }

  #onMoney(sequence: number, { account, amountCents, balanceCents, reason, reference }: BalanceMoved): void {
    if (reason !== 'deposit' && reason !== 'withdrawal') return;
    const owner = account === 0 ? 'house' : accountId(account);
    this.options.log.write(reason, { sequence, account: owner, amountCents, balanceCents, reference });
  }

  #onHeld(tick: PriceTick, latest: PriceTick): void {
    const nowMs = this.options.steadyNowMs();
    if (nowMs - (this.#heldLoggedMs[tick.asset] ?? Number.NEGATIVE_INFINITY) < HELD_EVERY_MS) return;
    this.#heldLoggedMs[tick.asset] = nowMs;
    const { price, source } = tick;
    const fields = { crypto: textAt(ASSETS, tick.asset), price, source, lastPrice: latest.price };
    this.options.log.write('price_held', fields);
  }

  /**
   * To be called once, right after the lifecycle's start, for boundaries that passed while the server was down and have
   * no price yet.
   */
  logAwaitedPrices(): void {
    const awaited = awaitedPrices(this.options.tracker);
    if (awaited.length === 0) return;
    this.options.log.write('prices_awaited', { awaited });
  }

  /** To be called about once a second. */
  check(): void {
    const { sequencer, tracker, replicatedLog } = this.options;
    const nowMs = sequencer.stampMs();
    this.#reportChange('clock', sequencer.wallClock.condition, 'sound', {
      offsetMs: sequencer.wallClock.offsetMs,
    });
    this.#reportChange('disk space', sequencer.spaceLevel, 'ok', this.options.disk());
    const { state, reason, archiveSeq, freeBytes, recoveryNeedsBytes } = this.options.shadow();
    this.#reportChange(
      'snapshots and archive',
      reason === null ? 'in order' : `${state}: ${reason}`,
      'in order',
    );
    const isRecoverable = freeBytes >= recoveryNeedsBytes;
    this.#reportChange(
      'free space',
      isRecoverable ? 'enough' : 'too little to recover after an unclean stop',
      'enough',
      { ...this.options.disk(), neededBytes: recoveryNeedsBytes },
    );
    if (!sequencer.ending || sequencer.isLost)
      this.#reportChange('orders', refusedAs(sequencer.gate, replicatedLog()) ?? 'taken', 'taken');
    const silent = this.options.silentAssets(nowMs);
    this.#reportChange(
      'price feed',
      silent.length === 0 ? 'live' : `silent for ${silent.join(', ')}`,
      'live',
    );
    const poor = marketsWithoutCapital(sequencer.engine, (asset) => tracker.latest(asset), nowMs).map(
      marketId,
    );
    const capital = poor.length === 0 ? 'enough' : `too little to open ${poor.join(', ')}`;
    this.#reportChange('house capital', capital, 'enough');
    this.#archiveLag.check(sequencer.durableSeq, archiveSeq);
    this.#minutes.check();
    this.#rounds.check();
  }

  end(): void {
    this.#rounds.write();
  }

  /** Changes of `details` alone are not logged. */
  #reportChange(thing: string, condition: string, sound: string, details: object = {}): void {
    const before = this.#conditions.get(thing) ?? sound;
    if (condition === before) return;
    this.#conditions.set(thing, condition);
    const { log } = this.options;
    if (condition === sound) log.write('back_to_normal', { thing, condition });
    else log.write('needs_attention', { thing, condition, ...details });
  }
}

/** Rounds end on whole minutes. */
const BOUNDARY_MS = 60_000;

/**
 * Rounds of all assets end together, each asset's with a command of its own: one line tells of all that a boundary
 * voids.
 */
export class RoundLines {
  /** The boundary's number, and whether it has got more since the last check. */
  #boundary = -1;
  #isNew = false;
  #sequence = 0;
  #voided: { readonly round: string; readonly reason: string }[] = [];
  readonly #unopened = new Map<RoundNotOpened['reason'], string[]>();

  constructor(private readonly log: Pick<Log, 'write'>) {}

  add(sequence: number, event: RoundResolved | RoundNotOpened): void {
    const boundary = Math.floor(event.timeMs / BOUNDARY_MS);
    if (boundary !== this.#boundary) this.write();
    this.#boundary = boundary;
    if (event.type === 'roundNotOpened') {
      const markets = this.#unopened.get(event.reason) ?? [];
      this.#unopened.set(event.reason, [...markets, marketId(event.market)]);
    } else if (event.result === RESULT_VOID) {
      this.#voided.push({ round: roundId(event.market, event.roundNumber), reason: event.reason });
    } else return;
    this.#sequence = sequence;
    this.#isNew = true;
  }

  /** To be called about once a second: writes a boundary that has not grown since the last call. */
  check(): void {
    if (!this.#isNew) this.write();
    this.#isNew = false;
  }

  write(): void {
    const sequence = this.#sequence;
    if (this.#voided.length > 0) this.log.write('rounds_voided', { sequence, rounds: this.#voided });
    this.#voided = [];
    for (const [reason, markets] of this.#unopened) {
      const isExpected = reason === 'market_hours' || reason === 'suspended' || reason === 'not_active';
      this.log.write(isExpected ? 'rounds_paused' : 'rounds_not_opened', { sequence, reason, markets });
    }
    this.#unopened.clear();
  }
}

/** The archive is far behind from more than this many missing commands until fewer than a tenth of them are missing. */
export const CAUGHT_UP_COMMANDS = 50_000;

export class ArchiveLag {
  #isBehind = false;

  constructor(private readonly log: Pick<Log, 'write'>) {}

  /** To be called about once a second. */
  check(durableSeq: number, archiveSequence: number): void {
    const lagCommands = Math.max(0, durableSeq - archiveSequence);
    const isBehind = this.#isBehind
      ? lagCommands >= CAUGHT_UP_COMMANDS
      : lagCommands > ARCHIVE_BEHIND_COMMANDS;
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    this.log.write(isBehind ? 'archive_behind' : 'archive_caught_up', { archiveSequence, lagCommands });
  }
}

const MINUTE_MS = 60_000;

export interface MinuteLogOptions {
  readonly sequencer: Pick<Sequencer, 'backlogCommands' | 'durableSeq'>;
  readonly orderTimes: OrderTimes;
  readonly shadow: () => Pick<ShadowView, 'appliedSeq' | 'archiveSeq'>;
  /** Never goes backwards. */
  readonly steadyNowMs: () => number;
  readonly log: Log;
}

export class MinuteLog {
  #sinceMs: number;

  constructor(private readonly options: MinuteLogOptions) {
    this.#sinceMs = options.steadyNowMs();
  }

  /** To be called about once a second. A manual clock may skip minutes; one line then covers them all. */
  check(): void {
    const { sequencer, orderTimes, shadow, steadyNowMs, log } = this.options;
    const elapsedMs = steadyNowMs() - this.#sinceMs;
    if (elapsedMs < MINUTE_MS) return;
    this.#sinceMs += elapsedMs;
    const { orders, p99Ms } = orderTimes.take();
    const { durableSeq, backlogCommands } = sequencer;
    const { appliedSeq, archiveSeq } = shadow();
    log.write('minute', {
      seconds: rounded(elapsedMs / 1_000),
      orders,
      ordersPerSecond: rounded((orders / elapsedMs) * 1_000),
      p99Ms: p99Ms === null ? null : rounded(p99Ms),
      sequence: durableSeq,
      backlog: backlogCommands,
      shadowLag: Math.max(0, durableSeq - appliedSeq),
      archiveLag: Math.max(0, durableSeq - archiveSeq),
    });
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
