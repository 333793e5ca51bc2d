/**
 * What operators should hear of without asking: rounds that were voided or did not open, a silent feed, a clock
 * or a disk that is not as it should be. A line for each change, none for what goes on as usual.
 */

import type { PriceTracker } from '../../engine/host/price-tracker.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { ASSETS, marketId, RESULT_VOID, roundId } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { Log } from '../log/log.js';
import { marketsWithoutCapital, type ShadowView } from './status.js';

/** An asset without a tick for this long is silent: its rounds are about to be voided. */
const SILENT_MS = 10_000;

export interface HealthLogOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly log: Log;
  readonly shadow: () => ShadowView;
  /** Whether the asset's feed should have ticks at this time; false for feeds and clocks that are moved by hand. */
  readonly expectsTicks: (asset: number, timeMs: number) => boolean;
}

export class HealthLog {
  readonly #said = new Map<string, string>();

  constructor(private readonly options: HealthLogOptions) {
    options.sequencer.onEvents((seq, events) => this.#onEvents(seq, events));
  }

  #onEvents(sequence: number, events: readonly EngineEvent[]): void {
    const { log } = this.options;
    const voided: string[] = [];
    const unopened = new Map<string, string[]>();
    for (const event of events) {
      if (event.type === 'roundResolved' && event.result === RESULT_VOID) {
        voided.push(`${roundId(event.market, event.roundNumber)}: ${event.reason}`);
      } else if (event.type === 'roundNotOpened') {
        const markets = unopened.get(event.reason) ?? [];
        unopened.set(event.reason, [...markets, marketId(event.market)]);
      } else if (event.type === 'configured') {
        log.info({ sequence }, 'rules were put in force');
      } else if (event.type === 'tradingChanged') {
        log.info({ sequence, trading: this.options.sequencer.engine.trading }, 'trading was switched');
      } else if (event.type === 'marketSuspended') {
        const suspended = this.options.sequencer.engine.isSuspended(event.market);
        log.info(
          { sequence, market: marketId(event.market), suspended },
          'a market was suspended or resumed',
        );
      }
    }
    if (voided.length > 0)
      log.warn({ sequence, rounds: voided }, 'rounds were voided: their bets are refunded');
    for (const [reason, markets] of unopened) {
      const isExpected = reason === 'market_hours' || reason === 'suspended' || reason === 'not_active';
      log[isExpected ? 'info' : 'warn']({ sequence, reason, markets }, 'rounds did not open');
    }
  }

  /** To be called about once a second. */
  look(): void {
    const { sequencer, tracker } = this.options;
    const nowMs = sequencer.stampMs();
    this.#say('clock', sequencer.wallClock.condition, 'sound');
    this.#say('disk space', sequencer.spaceLevel, 'ok');
    const { state, reason, freeBytes, recoveryNeedsBytes } = this.options.shadow();
    this.#say('snapshots and archive', reason === null ? 'in order' : `${state}: ${reason}`, 'in order');
    const isRecoverable = freeBytes >= recoveryNeedsBytes;
    this.#say(
      'free space',
      isRecoverable ? 'enough' : 'too little to recover after an unclean stop',
      'enough',
    );
    this.#say('orders', sequencer.gate ?? 'taken', 'taken');
    const silent = ASSETS.filter((_, asset) => {
      const latest = tracker.latest(asset);
      const isSilent = latest === null || nowMs - latest.timeMs > SILENT_MS;
      return (
        isSilent && [nowMs - SILENT_MS, nowMs].every((timeMs) => this.options.expectsTicks(asset, timeMs))
      );
    });
    this.#say('price feed', silent.length === 0 ? 'live' : `silent for ${silent.join(', ')}`, 'live');
    const poor = marketsWithoutCapital(sequencer.engine, (asset) => tracker.latest(asset), nowMs).map(
      marketId,
    );
    const capital = poor.length === 0 ? 'enough' : `too little to open ${poor.join(', ')}`;
    this.#say('house capital', capital, 'enough');
  }

  /** One line when the condition of a thing changes. */
  #say(thing: string, condition: string, sound: string): void {
    const before = this.#said.get(thing) ?? sound;
    if (condition === before) return;
    this.#said.set(thing, condition);
    const { log } = this.options;
    if (condition === sound) log.info({ thing, condition }, 'back to normal');
    else log.warn({ thing, condition }, 'needs attention');
  }
}
