/**
 * What operators should hear of without asking: rounds that were voided or did not open, a silent feed, a clock
 * or a disk that is not as it should be. A line for each change, none for what goes on as usual.
 */

import type { PriceTracker } from '../../engine/host/price-tracker.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { accountId, marketId, RESULT_VOID, roundId } from '../../engine/model/domain.js';
import type { BalanceMoved, EngineEvent } from '../../engine/model/events.js';
import type { SilentAssets } from '../prices/silent-assets.js';
import type { DiskSpace } from '../process/shutdown.js';
import { ArchiveLag } from './archive-lag.js';
import { MinuteLog, type MinuteLogOptions } from './minute-log.js';
import { awaitedPrices, marketsWithoutCapital, type ShadowView } from './status.js';
import type { TokenGuard } from './token-guard.js';

export interface HealthLogOptions extends MinuteLogOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly shadow: () => ShadowView;
  readonly disk: () => DiskSpace;
  readonly silentAssets: SilentAssets;
  readonly guard: TokenGuard;
  /** Whether there is a line a minute. */
  readonly logMinutes: boolean;
}

export class HealthLog {
  readonly #said = new Map<string, string>();

  readonly #archiveLag: ArchiveLag;
  readonly #minutes: MinuteLog | null;

  constructor(private readonly options: HealthLogOptions) {
    this.#archiveLag = new ArchiveLag(options.log);
    this.#minutes = options.logMinutes ? new MinuteLog(options) : null;
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
        log.tell('rules_in_force', { sequence });
      } else if (event.type === 'tradingChanged') {
        log.tell('trading_switched', { sequence, ...this.options.sequencer.engine.trading });
      } else if (event.type === 'marketSuspended') {
        const isSuspended = this.options.sequencer.engine.isSuspended(event.market);
        const market = marketId(event.market);
        log.tell(isSuspended ? 'market_suspended' : 'market_resumed', { sequence, market });
      }
    }
    if (voided.length > 0) log.tell('rounds_voided', { sequence, rounds: voided });
    for (const [reason, markets] of unopened) {
      const isExpected = reason === 'market_hours' || reason === 'suspended' || reason === 'not_active';
      log.tell(isExpected ? 'rounds_paused' : 'rounds_not_opened', { sequence, reason, markets });
    }
  }

  #onMoney(sequence: number, { account, amountCents, balanceCents, reason, reference }: BalanceMoved): void {
    if (reason !== 'deposit' && reason !== 'withdrawal') return;
    const owner = account === 0 ? 'house' : accountId(account);
    this.options.log.tell(reason, { sequence, account: owner, amountCents, balanceCents, reference });
  }

  /** To be called once, right after the lifecycle's start: rounds that ended meanwhile and have no price yet. */
  tellPastBoundaries(): void {
    const awaited = awaitedPrices(this.options.tracker);
    if (awaited.length === 0) return;
    this.options.log.tell('awaited_prices', { awaited });
  }

  /** To be called about once a second. */
  look(): void {
    const { sequencer, tracker } = this.options;
    const nowMs = sequencer.stampMs();
    this.#say('clock', sequencer.wallClock.condition, 'sound', { offsetMs: sequencer.wallClock.offsetMs });
    this.#say('disk space', sequencer.spaceLevel, 'ok', this.options.disk());
    const { state, reason, archiveSeq, freeBytes, recoveryNeedsBytes } = this.options.shadow();
    this.#say('snapshots and archive', reason === null ? 'in order' : `${state}: ${reason}`, 'in order');
    const isRecoverable = freeBytes >= recoveryNeedsBytes;
    this.#say(
      'free space',
      isRecoverable ? 'enough' : 'too little to recover after an unclean stop',
      'enough',
      { ...this.options.disk(), neededBytes: recoveryNeedsBytes },
    );
    this.#say('orders', sequencer.gate ?? 'taken', 'taken');
    const silent = this.options.silentAssets(nowMs);
    this.#say('price feed', silent.length === 0 ? 'live' : `silent for ${silent.join(', ')}`, 'live');
    const poor = marketsWithoutCapital(sequencer.engine, (asset) => tracker.latest(asset), nowMs).map(
      marketId,
    );
    const capital = poor.length === 0 ? 'enough' : `too little to open ${poor.join(', ')}`;
    this.#say('house capital', capital, 'enough');
    this.#archiveLag.look(sequencer.durableSeq, archiveSeq);
    this.#minutes?.look();
    const guesses = this.options.guard.untold();
    if (guesses !== null) this.options.log.tell('operator_tokens_refused', guesses);
  }

  /** One line when the condition of a thing changes; `details` may change without one. */
  #say(thing: string, condition: string, sound: string, details: object = {}): void {
    const before = this.#said.get(thing) ?? sound;
    if (condition === before) return;
    this.#said.set(thing, condition);
    const { log } = this.options;
    if (condition === sound) log.tell('back_to_normal', { thing, condition });
    else log.tell('needs_attention', { thing, condition, ...details });
  }
}
