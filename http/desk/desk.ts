/**
 * Handles a gateway's request on the engine's thread. The rights of key and account are checked again here, when the
 * request takes effect. A success is sent only once it is durable, a read only once everything that it shows is
 * durable.
 */
import { assert, fail, must, unreachable } from '../../engine/base/assert.js';
import type { Deadman } from '../../engine/host/deadman.js';
import { LOST, type Sequencer } from '../../engine/host/sequencer.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { assetOf, NO_END, NO_FAIR_SHARE, NO_LIMIT, WRITE_TIER } from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { Rejected, Replayed } from '../../engine/model/events.js';
import type { FairShare, LatestTick } from '../board/market-publisher.js';
import { internalError } from '../kit/refused.js';
import { sendPlaced, sendReplayed } from '../rings/bet-reply.js';
import {
  type AccountReply,
  type CancelFilter,
  type Question,
  type QuestionKind,
  type QuestionOf,
  type QuoteReply,
  readQuestion,
  sendFacts,
  type Told,
} from '../rings/questions.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import { type RingConsumer, RingFault } from '../rings/ring.js';
import type { GatewayEnd, WriteReply } from '../rings/service.js';
import { listOf } from './lists.js';

const IN_PROGRESS: replies.RefusalFacts = {
  code: 'idempotency_in_progress',
  detail: 'the first request with this Idempotency-Key is not durable yet; try again',
};

/** About a millisecond of work for one command. */
const CANCELS_AT_ONCE = 1_000;

export interface DeskOptions {
  /** Wall-clock time, by which keys expire. */
  readonly nowMs: () => number;
  readonly latestTick: LatestTick;
  readonly fairShare: FairShare;
  /** Reports a programming error at a request that only reads. Returns the id with which it was logged. */
  readonly onFault: (error: unknown) => string;
}

type Reading = Exclude<Question, { readonly kind: 'cancel' | 'cancelAll' | 'deadman' | 'deadmanEnded' }>;

export class Desk {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly deadman: Deadman,
    private readonly options: DeskOptions,
  ) {}

  serve(ring: RingConsumer, gateway: GatewayEnd): void {
    const kind = ring.number();
    const ticket = ring.number();
    if (kind === requests.ORDER) this.#place(ring, gateway, ticket);
    else if (kind === requests.QUESTION)
      this.#answer(requests.readAsker(ring), readQuestion(ring), gateway, ticket);
    else fail(`a request of kind ${kind} is not known`);
  }

  #answer(asker: requests.Asker, question: Question, gateway: GatewayEnd, ticket: number): void {
    switch (question.kind) {
      case 'cancel':
        if (!this.#refusesWrite(asker, gateway, ticket)) this.#cancel(asker, question.bet, gateway, ticket);
        return;
      case 'cancelAll': {
        const { market, side } = question;
        if (!this.#refusesWrite(asker, gateway, ticket))
          this.#cancelSlice(asker, { market, side }, 0, gateway, ticket);
        return;
      }
      case 'deadman':
        this.#setDeadman(asker, question, gateway, ticket);
        return;
      case 'deadmanEnded':
        this.deadman.ended(asker.key);
        gateway.reply((to) => sendFacts(to, ticket, '{}'));
        return;
      default:
        try {
          if (!this.#refusesKey(asker, gateway, ticket)) this.#read(asker, question, gateway, ticket);
        } catch (error) {
          // A read has changed nothing: its client alone is told.
          if (error instanceof RingFault) throw error;
          const { code, detail } = internalError(this.options.onFault(error));
          refuse(gateway, ticket, { code, detail });
        }
    }
  }

  #read(asker: requests.Asker, question: Reading, gateway: GatewayEnd, ticket: number): void {
    const { engine } = this.sequencer;
    const { account } = asker;
    const touchedSeq = engine.accountTouchedSeq(account);
    switch (question.kind) {
      case 'account':
        this.#tell<'account'>(touchedSeq, gateway, ticket, this.#account(account));
        return;
      case 'balance': {
        const { balanceCents } = must(engine.account(account), 'account of a key');
        this.#tell<'balance'>(touchedSeq, gateway, ticket, { seq: touchedSeq, balanceCents });
        return;
      }
      // Up to this command the archive must have come, so that its answer leaves nothing out.
      case 'accountSeq':
        this.#tell<'accountSeq'>(touchedSeq, gateway, ticket, { seq: touchedSeq });
        return;
      case 'lifecycleSeq': {
        const seq = engine.lifecycleSeq;
        this.#tell<'lifecycleSeq'>(seq, gateway, ticket, { seq });
        return;
      }
      case 'list': {
        const { bets, next } = listOf(engine, account, question);
        // Bets show their round's state, so the round's last step must be durable, too.
        const seq = Math.max(touchedSeq, engine.lifecycleSeq);
        this.#answerFrom(seq, gateway, ticket, (to) => replies.sendBets(to, ticket, bets, next));
        return;
      }
      case 'round':
        this.#round(question, gateway, ticket);
        return;
      case 'seenKey': {
        const { placed, rememberedFromMs } = engine.seenKey(
          account,
          question.digest,
          this.sequencer.stampMs(),
        );
        this.#tell<'seenKey'>(placed?.seq ?? 0, gateway, ticket, { bet: placed?.bet ?? 0, rememberedFromMs });
        return;
      }
      case 'quote': {
        // A balance or a round that a client is told of must be there after a crash.
        const seq = Math.max(touchedSeq, engine.lifecycleSeq);
        this.#tell<'quote'>(seq, gateway, ticket, this.#quote(question));
        return;
      }
      default:
        unreachable(question);
    }
  }

  #place(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const { sequencer } = this;
    const facts = requests.readOrder(ring);
    const order = this.#command(facts);
    const outcome = this.#unfit(order) ?? sequencer.submit(order, facts.guards);
    switch (outcome.status) {
      case 'accepted': {
        const [bet] = outcome.events;
        assert(bet?.type === 'betPlaced' || bet?.type === 'orderPending', 'an order places a bet, or rests');
        const { taking } = gateway;
        sequencer.whenDurable(
          outcome.seq,
          (times) => gateway.reply((to) => sendPlaced(to, ticket, outcome.seq, bet, taking, times)),
          () => refuse(gateway, ticket, LOST),
        );
        return;
      }
      case 'replayed':
        this.#answerAgain(gateway, ticket, outcome);
        return;
      case 'rejected':
        refuse(gateway, ticket, outcome);
        return;
      default:
        unreachable(outcome);
    }
  }

  /** The answer that the order would get if it were placed now. Changes nothing. */
  #quote({ order: fields, parts }: QuestionOf<'quote'>): QuoteReply {
    const { guards } = fields;
    const order = this.#command(fields);
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
  #tell<K extends QuestionKind>(seq: number, gateway: GatewayEnd, ticket: number, facts: Told[K]): void {
    // At once: a view of the engine may change until then.
    const text = JSON.stringify(facts);
    this.#answerFrom(seq, gateway, ticket, (to) => sendFacts(to, ticket, text));
  }

  /** The answer holds as of command `seq`, and is sent once that is durable. */
  #answerFrom(seq: number, gateway: GatewayEnd, ticket: number, write: WriteReply): void {
    this.sequencer.whenDurable(
      seq,
      () => gateway.reply(write),
      () => refuse(gateway, ticket, LOST),
    );
  }

  #answerAgain(gateway: GatewayEnd, ticket: number, { seq, event }: Replayed): void {
    const { sequencer } = this;
    assert(event.type !== 'balanceMoved', 'an order replays an order');
    if (seq > sequencer.durableSeq) refuse(gateway, ticket, sequencer.isLost ? LOST : IN_PROGRESS);
    else gateway.reply((to) => sendReplayed(to, ticket, seq, event));
  }

  #setDeadman(
    asker: requests.Asker,
    { seconds, isFirst }: QuestionOf<'deadman'>,
    gateway: GatewayEnd,
    ticket: number,
  ): void {
    // The gateway will tell of the stream's end, even if this request is refused.
    if (isFirst) this.deadman.opened(asker.key);
    if (this.#refusesWrite(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const isSet = engine.key(asker.key).deadmanSeconds === seconds;
    const outcome = isSet ? null : this.deadman.set(asker.key, seconds);
    if (outcome?.status === 'rejected') refuse(gateway, ticket, outcome);
    else this.#tell<'deadman'>(engine.accountTouchedSeq(asker.account), gateway, ticket, {});
  }

  /** Cancels slice by slice, each once the one before is durable, and answers how many orders there were. */
  #cancelSlice(
    { account, key }: requests.Asker,
    filter: CancelFilter,
    before: number,
    gateway: GatewayEnd,
    ticket: number,
  ): void {
    const { sequencer } = this;
    const fields = { account, key, ...filter, placedBy: null, ordersMax: CANCELS_AT_ONCE };
    const outcome = sequencer.submit({ kind: 'cancelOrders', timeMs: sequencer.stampMs(), ...fields });
    const isNone = outcome.status === 'rejected' && outcome.code === 'order_not_pending';
    if (outcome.status === 'rejected' && !isNone) {
      refuse(gateway, ticket, outcome);
      return;
    }
    const slice = outcome.status === 'accepted' ? outcome.events.length : 0;
    const cancelled = before + slice;
    sequencer.whenDurable(
      sequencer.engine.accountTouchedSeq(account),
      () => {
        if (slice === CANCELS_AT_ONCE)
          this.#cancelSlice({ account, key }, filter, cancelled, gateway, ticket);
        else gateway.reply((to) => sendFacts(to, ticket, JSON.stringify({ cancelled })));
      },
      () => refuse(gateway, ticket, LOST),
    );
  }

  /** Answers with the order once its cancellation is durable. */
  #cancel({ account, key }: requests.Asker, bet: number, gateway: GatewayEnd, ticket: number): void {
    const { engine } = this.sequencer;
    const timeMs = this.sequencer.stampMs();
    const outcome = this.sequencer.submit({ kind: 'cancelOrder', timeMs, account, key, bet });
    if (outcome.status === 'rejected') {
      refuse(gateway, ticket, outcome);
      return;
    }
    const order = must(engine.order(account, bet), 'the order that was cancelled');
    // It shows its round's state, so the round's last step must be durable, too.
    const seq = Math.max(outcome.seq, engine.lifecycleSeq);
    this.#answerFrom(seq, gateway, ticket, (to) => replies.sendBets(to, ticket, [order], []));
  }

  #round({ market, roundNumber }: QuestionOf<'round'>, gateway: GatewayEnd, ticket: number): void {
    const { engine } = this.sequencer;
    const round = engine.round(market, roundNumber);
    if (round === null) {
      refuse(gateway, ticket, { code: 'round_not_found', detail: '' });
      return;
    }
    const { latestTick, fairShare, nowMs } = this.options;
    const isCurrent = engine.currentRound(market) === round;
    const shareE6 = isCurrent ? fairShare(market, nowMs()) : NO_FAIR_SHARE;
    const tick = latestTick(assetOf(market))?.price ?? null;
    // The last bet that it counts may be the last command.
    this.#tell<'round'>(engine.seq, gateway, ticket, { round, tick, shareE6 });
  }

  #command(order: requests.OrderFields): PlaceOrder {
    const timeMs = this.sequencer.stampMs();
    return {
      kind: 'placeOrder',
      timeMs,
      account: order.account,
      key: order.key,
      market: order.market,
      side: order.side,
      stakeCents: order.stakeCents,
      fairShareE6: this.options.fairShare(order.market, timeMs),
      expectedPercentE6: order.expectedPercentE6,
      limitOddsE4: order.limitOddsE4,
      validUntilMs: endOf(order),
      idempotency: order.idempotency,
      clientSeed: order.clientSeed,
      clientOrderId: order.clientOrderId,
    };
  }

  /**
   * Null if the order may be placed now. An order that was placed before is replayed even if the account may no longer
   * write.
   */
  #unfit(order: PlaceOrder): Rejected | Replayed | null {
    const ofKey = this.#unfitKey(order);
    if (ofKey !== null) return { status: 'rejected', code: ofKey, detail: '' };
    const ofAccount = this.#unfitAccount(order.account);
    if (ofAccount === null) return null;
    const remembered = this.sequencer.engine.rememberedOrder(order);
    if (remembered?.status === 'replayed') return remembered;
    return { status: 'rejected', code: ofAccount, detail: '' };
  }

  /** Returns true if the key may not be used now; then the request is refused. */
  #refusesKey(asker: requests.Asker, gateway: GatewayEnd, ticket: number): boolean {
    const code = this.#unfitKey(asker);
    if (code === null) return false;
    refuse(gateway, ticket, { code, detail: '' });
    return true;
  }

  #refusesWrite(asker: requests.Asker, gateway: GatewayEnd, ticket: number): boolean {
    const code = this.#unfitKey(asker) ?? this.#unfitAccount(asker.account);
    if (code !== null) refuse(gateway, ticket, { code, detail: '' });
    return code !== null;
  }

  /** null if the key may be used now. The gateway has checked scopes, which never change. */
  #unfitKey({ key }: Pick<requests.Asker, 'key'>): ErrorCode | null {
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
const endOf = ({ limitOddsE4, guards }: requests.OrderFields): number =>
  limitOddsE4 === NO_LIMIT || guards === null || guards.validUntilMs === Number.POSITIVE_INFINITY
    ? NO_END
    : guards.validUntilMs;

const refuse = (gateway: GatewayEnd, ticket: number, facts: replies.RefusalFacts): void =>
  gateway.reply((to) => replies.sendRefusal(to, ticket, facts));
