/**
 * Handles a gateway's request on the engine's thread. The rights of key and account are checked again here, when the
 * request takes effect. A success is sent only once it is durable, a read only once everything that it shows is
 * durable.
 */
import { assert, must, unreachable } from '../../engine/base/assert.js';
import type { Deadman } from '../../engine/host/deadman.js';
import type { FairShareNow } from '../../engine/host/resting-orders.js';
import { LOST, type Sequencer } from '../../engine/host/sequencer.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { assetOf, NO_END, NO_FAIR_SHARE, NO_LIMIT, WRITE_TIER } from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { Rejected, Replayed } from '../../engine/model/events.js';
import type { LatestTick } from '../board/market-publisher.js';
import { internalError } from '../kit/refused.js';
import type { QuestionReply } from '../link/link.js';
import { type Asker, type OrderFields, type OrderReply, OUTRUN, type RefusalFacts } from '../link/orders.js';
import type {
  AccountReply,
  CancelFilter,
  Question,
  QuestionKind,
  QuestionOf,
  QuoteReply,
  Told,
} from '../link/questions.js';
import { RingFault } from '../rings/ring.js';
import { listOf } from './lists.js';

const IN_PROGRESS: RefusalFacts = {
  code: 'idempotency_in_progress',
  detail: 'the first request with this Idempotency-Key is not durable yet; try again',
};

const BACKLOGGED: RefusalFacts = {
  code: 'journal_backlog',
  detail: 'this answer shows something that is not durable yet; try again',
};

/** About a millisecond of work for one command. */
const CANCELS_AT_ONCE = 1_000;

export interface DeskOptions {
  /** Wall-clock time, by which keys expire. */
  readonly nowMs: () => number;
  readonly latestTick: LatestTick;
  /** For readers. */
  readonly fairShare: FairShareNow;
  readonly orderShareE6: FairShareNow;
  /** Reports a programming error at a request that only reads. Returns the id with which it was logged. */
  readonly onFault: (error: unknown) => string;
}

type Reading = Exclude<Question, { readonly kind: 'cancel' | 'cancelAll' | 'deadman' | 'deadmanEnded' }>;

/** Their answers are of no account, or say the command as of which they hold. */
const ASKED_OF_ANY_MACHINE: readonly QuestionKind[] = ['round', 'lifecycleSeq', 'balance'];

export class Desk {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly deadman: Deadman,
    private readonly options: DeskOptions,
  ) {}

  answer(asker: Asker, question: Question, to: QuestionReply): void {
    switch (question.kind) {
      case 'cancel':
        if (!this.#refusesWrite(asker, to)) this.#cancel(asker, question.bet, to);
        return;
      case 'cancelAll': {
        const { market, side } = question;
        if (!this.#refusesWrite(asker, to)) this.#cancelSlice(asker, { market, side }, 0, to);
        return;
      }
      case 'deadman':
        this.#setDeadman(asker, question, to);
        return;
      case 'deadmanEnded':
        this.deadman.ended(asker.key);
        to.facts('{}');
        return;
      default:
        try {
          if (!this.#refusesRead(asker, question, to)) this.#read(asker, question, to);
        } catch (error) {
          // A read has changed nothing: its client alone is told.
          if (error instanceof RingFault) throw error;
          const { code, detail } = internalError(this.options.onFault(error));
          to.refused({ code, detail });
        }
    }
  }

  #read(asker: Asker, question: Reading, to: QuestionReply): void {
    const { engine } = this.sequencer;
    const { account } = asker;
    const touchedSeq = engine.accountTouchedSeq(account);
    switch (question.kind) {
      case 'account':
        this.#tell<'account'>(touchedSeq, to, this.#account(account));
        return;
      case 'balance': {
        const { balanceCents } = must(engine.account(account), 'account of a key');
        const text = JSON.stringify({ seq: touchedSeq, balanceCents } satisfies Told['balance']);
        // A stream asks once, and would be without its balances if it were refused.
        this.#answerFrom(touchedSeq, to, () => to.facts(text));
        return;
      }
      // Up to this command the archive must have come, so that its answer leaves nothing out.
      case 'accountSeq':
        this.#tell<'accountSeq'>(touchedSeq, to, { seq: touchedSeq });
        return;
      case 'lifecycleSeq': {
        const seq = engine.lifecycleSeq;
        this.#tell<'lifecycleSeq'>(seq, to, { seq });
        return;
      }
      case 'list': {
        const { bets, next } = listOf(engine, account, question);
        // Bets show their round's state, so the round's last step must be durable, too.
        const seq = Math.max(touchedSeq, engine.lifecycleSeq);
        this.#readFrom(seq, to, () => to.bets(bets, next));
        return;
      }
      case 'round':
        this.#round(question, to);
        return;
      case 'seenKey': {
        const { placed, rememberedFromMs } = engine.seenKey(
          account,
          question.digest,
          this.sequencer.stampMs(),
        );
        this.#tell<'seenKey'>(placed?.seq ?? 0, to, { bet: placed?.bet ?? 0, rememberedFromMs });
        return;
      }
      case 'quote': {
        const quote = this.#quote(question);
        // A balance or a round that a client is told of must be there after a crash.
        this.#tell<'quote'>(Math.max(touchedSeq, engine.lifecycleSeq), to, quote);
        return;
      }
      default:
        unreachable(question);
    }
  }

  place(fields: OrderFields, takenMs: number, to: OrderReply): void {
    const { sequencer } = this;
    this.deadman.beforeOrder(fields.key);
    const order = this.#command(fields);
    const outcome = this.#unfit(order) ?? sequencer.submit(order, fields.guards);
    switch (outcome.status) {
      case 'accepted': {
        const [bet] = outcome.events;
        assert(bet?.type === 'betPlaced' || bet?.type === 'orderPending', 'an order places a bet, or rests');
        const { seq } = outcome;
        sequencer.whenDurable(
          seq,
          (times) => to.placed(seq, bet, takenMs, times),
          () => to.refused(LOST),
        );
        return;
      }
      case 'replayed':
        this.#answerAgain(to, outcome);
        return;
      case 'rejected':
        to.refused(sequencer.mayBeSucceeded ? OUTRUN : outcome);
        return;
      default:
        unreachable(outcome);
    }
  }

  /** The answer that the order would get if it were placed now. Changes nothing but what is due by now. */
  #quote({ order: fields, parts }: QuestionOf<'quote'>): QuoteReply {
    const { guards } = fields;
    const order = this.#command(fields);
    this.sequencer.advance(order.timeMs);
    const { engine, gate } = this.sequencer;
    const { offer, refusal, rests } = engine.quoteOrder(order, gate, guards);
    const ofAccount = this.#unfitAccount(order.account);
    const first = ofAccount === null ? null : { code: ofAccount, detail: '' };
    const inParts = parts === 1 ? null : engine.quoteParts(order, gate, guards, parts);
    return {
      timeMs: order.timeMs,
      offer,
      refusal: first ?? refusal,
      rests,
      inParts: inParts === null || first === null ? inParts : { ...inParts, ...NO_PARTS, refusal: first },
    };
  }

  #account(account: number): AccountReply {
    const { engine } = this.sequencer;
    const { balanceCents } = must(engine.account(account), 'account of a key');
    const keys = engine.keysOf(account);
    const activeKeys = keys.filter(({ key }) => this.#unfitKey({ key }) === null).length;
    return { balanceCents, activeKeys, ...engine.openSums(account) };
  }

  /** The facts hold as of command `seq`, and are told once that is durable. */
  #tell<K extends QuestionKind>(seq: number, to: QuestionReply, facts: Told[K]): void {
    // At once: a view of the engine may change until then.
    const text = JSON.stringify(facts);
    this.#readFrom(seq, to, () => to.facts(text));
  }

  /**
   * As `#answerFrom`, but no read waits for a journal that is behind: a client that has given up asks again, and all of
   * its answers would be kept until the disk goes on.
   */
  #readFrom(seq: number, to: QuestionReply, answer: () => void): void {
    const { durableSeq, isBacklogged } = this.sequencer;
    if (isBacklogged && seq > durableSeq) to.refused(BACKLOGGED);
    else this.#answerFrom(seq, to, answer);
  }

  /** The answer holds as of command `seq`, and is sent once that is durable. */
  #answerFrom(seq: number, to: QuestionReply, answer: () => void): void {
    this.sequencer.whenDurable(seq, answer, () => to.refused(LOST));
  }

  #answerAgain(to: OrderReply, { seq, event }: Replayed): void {
    const { sequencer } = this;
    assert(event.type !== 'balanceMoved', 'an order replays an order');
    if (seq > sequencer.durableSeq) to.refused(sequencer.isLost ? LOST : IN_PROGRESS);
    else to.replayed(seq, event);
  }

  #setDeadman(asker: Asker, { seconds, isFirst }: QuestionOf<'deadman'>, to: QuestionReply): void {
    // The gateway will tell of the stream's end, even if this request is refused.
    if (isFirst) this.deadman.opened(asker.key);
    if (this.#refusesWrite(asker, to)) return;
    const { engine } = this.sequencer;
    const isSet = engine.key(asker.key).deadmanSeconds === seconds;
    const outcome = isSet ? null : this.deadman.set(asker.key, seconds);
    if (outcome?.status === 'rejected') to.refused(outcome);
    else this.#answerFrom(engine.accountTouchedSeq(asker.account), to, () => to.facts('{}'));
  }

  /** Cancels slice by slice, each once the one before is durable, and answers how many orders there were. */
  #cancelSlice({ account, key }: Asker, filter: CancelFilter, before: number, to: QuestionReply): void {
    const { sequencer } = this;
    const fields = { account, key, ...filter, placedBy: null, ordersMax: CANCELS_AT_ONCE };
    const outcome = sequencer.submit({ kind: 'cancelOrders', timeMs: sequencer.stampMs(), ...fields });
    const isNone = outcome.status === 'rejected' && outcome.code === 'order_not_pending';
    if (outcome.status === 'rejected' && !isNone) {
      to.refused(outcome);
      return;
    }
    const slice = outcome.status === 'accepted' ? outcome.events.length : 0;
    const cancelled = before + slice;
    sequencer.whenDurable(
      sequencer.engine.accountTouchedSeq(account),
      () => {
        if (slice === CANCELS_AT_ONCE) this.#cancelSlice({ account, key }, filter, cancelled, to);
        else to.facts(JSON.stringify({ cancelled }));
      },
      () => to.refused(LOST),
    );
  }

  /** Answers with the order once its cancellation is durable. */
  #cancel({ account, key }: Asker, bet: number, to: QuestionReply): void {
    const { engine } = this.sequencer;
    const timeMs = this.sequencer.stampMs();
    const outcome = this.sequencer.submit({ kind: 'cancelOrder', timeMs, account, key, bet });
    if (outcome.status === 'rejected') {
      to.refused(outcome);
      return;
    }
    const order = must(engine.order(account, bet), 'the order that was cancelled');
    this.#answerFrom(outcome.seq, to, () => to.bets([order], []));
  }

  #round({ market, roundNumber }: QuestionOf<'round'>, to: QuestionReply): void {
    const { engine } = this.sequencer;
    const round = engine.round(market, roundNumber);
    if (round === null) {
      this.#refuses(this.sequencer.mayBeSucceeded, 'round_not_found', to);
      return;
    }
    const { latestTick, fairShare, nowMs } = this.options;
    const isCurrent = engine.currentRound(market) === round;
    const shareE6 = isCurrent ? fairShare(market, nowMs()) : NO_FAIR_SHARE;
    const tick = latestTick(assetOf(market))?.price ?? null;
    // The last bet that it counts may be the last command.
    this.#tell<'round'>(engine.seq, to, { round, tick, shareE6 });
  }

  #command(order: OrderFields): PlaceOrder {
    const timeMs = this.sequencer.stampMs();
    return {
      kind: 'placeOrder',
      timeMs,
      account: order.account,
      key: order.key,
      market: order.market,
      side: order.side,
      stakeCents: order.stakeCents,
      fairShareE6: this.options.orderShareE6(order.market, timeMs),
      expectedPercentE6: order.expectedPercentE6,
      limitOddsE4: order.limitOddsE4,
      validUntilMs: endOf(order),
      idempotency: order.idempotency,
      clientSeed: order.clientSeed,
      clientOrderId: order.clientOrderId,
    };
  }

  /**
   * Null if the order may be placed now. The Idempotency-Key answers first even if the account may no longer write.
   */
  #unfit(order: PlaceOrder): Rejected | Replayed | null {
    const ofKey = this.#unfitKey(order);
    if (ofKey !== null) return { status: 'rejected', code: ofKey, detail: '' };
    const ofAccount = this.#unfitAccount(order.account);
    if (ofAccount === null) return null;
    return (
      this.sequencer.engine.rememberedOrder(order) ?? { status: 'rejected', code: ofAccount, detail: '' }
    );
  }

  /** Returns true if it has refused the request. */
  #refusesRead(asker: Asker, { kind }: Reading, to: QuestionReply): boolean {
    const isOutrun = this.sequencer.mayBeSucceeded && !ASKED_OF_ANY_MACHINE.includes(kind);
    return this.#refuses(isOutrun, this.#unfitKey(asker), to);
  }

  #refusesWrite(asker: Asker, to: QuestionReply): boolean {
    const code = this.#unfitKey(asker) ?? this.#unfitAccount(asker.account);
    return this.#refuses(this.sequencer.mayBeSucceeded, code, to);
  }

  #refuses(isOutrun: boolean, code: ErrorCode | null, to: QuestionReply): boolean {
    if (isOutrun) to.refused(OUTRUN);
    else if (code !== null) to.refused({ code, detail: '' });
    return isOutrun || code !== null;
  }

  /** null if the key may be used now. The gateway has checked scopes, which never change. */
  #unfitKey({ key }: Pick<Asker, 'key'>): ErrorCode | null {
    const { enabled, expiresAtMs } = this.sequencer.engine.key(key);
    if (!enabled) return 'key_disabled';
    return expiresAtMs !== null && this.options.nowMs() >= expiresAtMs ? 'key_expired' : null;
  }

  #unfitAccount(account: number): ErrorCode | null {
    const { engine } = this.sequencer;
    if (engine.tier(account) < WRITE_TIER) return 'tier_too_low';
    return engine.isFrozen(account) ? 'account_frozen' : null;
  }
}

const NO_PARTS = { placed: 0, resting: 0, odds: null, payoutCents: 0 };

/** A limit order may rest as long as it may be executed. */
const endOf = ({ limitOddsE4, guards }: OrderFields): number =>
  limitOddsE4 === NO_LIMIT || guards === null || guards.validUntilMs === Number.POSITIVE_INFINITY
    ? NO_END
    : guards.validUntilMs;
