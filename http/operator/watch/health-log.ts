/**
 * Logs what operators should learn without asking: voided or unopened rounds, a silent feed, trouble with clock or
 * disk. There is one line for each change, and none while nothing changes.
 */

import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { ASSETS, accountId, marketId, RESULT_VOID, roundId, textAt } from '../../../engine/model/domain.js';
import type { BalanceMoved, EngineEvent } from '../../../engine/model/events.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import type { PriceTick } from '../../../engine/model/ports.js';
import type { AssetsAt } from '../../../feeds/silent-assets.js';
import type { DiskSpace } from '../../../process/shutdown.js';
import { awaitedPrices, marketsWithoutCapital, type ShadowView } from '../queries/status.js';
import { ArchiveLag } from './archive-lag.js';
import { MinuteLog, type MinuteLogOptions } from './minute-log.js';

/** A feed that alternates between two prices has a line in this time. */
const HELD_EVERY_MS = 60_000;

export interface HealthLogOptions extends MinuteLogOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly shadow: () => ShadowView;
  readonly disk: () => DiskSpace;
  readonly silentAssets: AssetsAt;
}

export class HealthLog {
  readonly #conditions = new Map<string, string>();
  /** By asset. */
  readonly #heldLoggedMs: number[] = [];

  readonly #archiveLag: ArchiveLag;
  readonly #minutes: MinuteLog;

  constructor(private readonly options: HealthLogOptions) {
    this.#archiveLag = new ArchiveLag(options.log);
    this.#minutes = new MinuteLog(options);
    options.tracker.onHeld((tick, latest) => this.#onHeld(tick, latest));
    options.sequencer.onEvents((seq, events) => this.#onEvents(seq, events));
  }

  #onEvents(sequence: number, events: readonly EngineEvent[]): void {
    const { log } = this.options;
    const voided: { readonly round: string; readonly reason: string }[] = [];
    const unopened = new Map<string, string[]>();
    for (const event of events) {
      if (event.type === 'roundResolved' && event.result === RESULT_VOID) {
        voided.push({ round: roundId(event.market, event.roundNumber), reason: event.reason });
      } else if (event.type === 'roundNotOpened') {
        const markets = unopened.get(event.reason) ?? [];
        unopened.set(event.reason, [...markets, marketId(event.market)]);
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
    if (voided.length > 0) log.write('rounds_voided', { sequence, rounds: voided });
    for (const [reason, markets] of unopened) {
      const isExpected = reason === 'market_hours' || reason === 'suspended' || reason === 'not_active';
      log.write(isExpected ? 'rounds_paused' : 'rounds_not_opened', { sequence, reason, markets });
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
   * To be called once, right after the lifecycle's start: logs boundaries passed while the server was down that have
   * no price yet.
   */
  logAwaitedPrices(): void {
    const awaited = awaitedPrices(this.options.tracker);
    if (awaited.length === 0) return;
    this.options.log.write('prices_awaited', { awaited });
  }

  /** To be called about once a second. */
  check(): void {
    const { sequencer, tracker } = this.options;
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
    this.#reportChange('orders', sequencer.gate ?? 'taken', 'taken');
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
  }

  /** Logs a line when the condition of a thing changes; changes of `details` alone are not logged. */
  #reportChange(thing: string, condition: string, sound: string, details: object = {}): void {
    const before = this.#conditions.get(thing) ?? sound;
    if (condition === before) return;
    this.#conditions.set(thing, condition);
    const { log } = this.options;
    if (condition === sound) log.write('back_to_normal', { thing, condition });
    else log.write('needs_attention', { thing, condition, ...details });
  }
}
