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
import { sendQuote } from '../rings/quote-reply.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import { type RingConsumer, RingFault } from '../rings/ring.js';
import type { GatewayEnd, WriteReply } from '../rings/service.js';
import { listOf, openSums } from './lists.js';

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
    else if (kind === requests.CANCEL) this.#cancel(ring, gateway, ticket);
    else if (kind === requests.CANCEL_ALL) this.#cancelAll(ring, gateway, ticket);
    else if (kind === requests.DEADMAN) this.#setDeadman(ring, gateway, ticket);
    else if (kind === requests.DEADMAN_ENDED) {
      this.deadman.ended(requests.readAsker(ring).key);
      gateway.reply((to) => replies.sendNothing(to, ticket));
    } else {
      try {
        this.#read(kind, ring, gateway, ticket);
      } catch (error) {
        // A read has changed nothing: its client alone is told. Not so if a ring is left in the middle of a message.
        if (error instanceof RingFault || !ring.isRead) throw error;
        const { code, detail } = internalError(this.options.onFault(error));
        refuse(gateway, ticket, { code, detail });
      }
    }
  }

  #read(kind: number, ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    if (kind === requests.QUOTE) this.#quote(ring, gateway, ticket);
    else if (kind === requests.ROUND) this.#round(ring, gateway, ticket);
    else if (kind === requests.BALANCE) this.#balance(ring, gateway, ticket);
    else if (kind === requests.ACCOUNT) this.#account(ring, gateway, ticket);
    else if (kind === requests.SEEN_KEY) this.#seenKey(ring, gateway, ticket);
    else if (kind === requests.LIST) this.#list(ring, gateway, ticket);
    else if (kind === requests.ACCOUNT_SEQ || kind === requests.LIFECYCLE_SEQ)
      this.#seq(kind, ring, gateway, ticket);
    else fail(`a request of kind ${kind} is not known`);
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

  /** Answers as if the order were placed now. Changes nothing. */
  #quote(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const facts = requests.readOrder(ring);
    const parts = ring.number();
    const order = this.#command(facts);
    if (this.#refusesKey(order, gateway, ticket)) return;
    const { engine, gate } = this.sequencer;
    const { offer, refusal, rests } = engine.quoteOrder(order, gate, facts.guards);
    const ofAccount = this.#unfitAccount(order.account);
    const first = ofAccount === null ? null : { code: ofAccount, detail: '' };
    const inParts = parts === 1 ? null : engine.quoteParts(order, gate, facts.guards, parts);
    const quote = {
      timeMs: order.timeMs,
      offer,
      refusal: first ?? refusal,
      rests,
      inParts: inParts === null || first === null ? inParts : { ...inParts, ...NO_PARTS, refusal: first },
    };
    // A balance or a round that a client is told of must be there after a crash.
    const seq = Math.max(engine.accountTouchedSeq(order.account), engine.lifecycleSeq);
    this.#answerFrom(seq, gateway, ticket, (to) => sendQuote(to, ticket, quote));
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

  #cancel(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const bet = requests.readCancel(ring);
    if (!this.#refusesWrite(asker, gateway, ticket)) this.#cancelFor(asker, bet, gateway, ticket);
  }

  #cancelAll(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const filter = requests.readCancelAll(ring);
    if (!this.#refusesWrite(asker, gateway, ticket)) this.#cancelSlice(asker, filter, 0, gateway, ticket);
  }

  #setDeadman(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const { seconds, isFirst } = requests.readDeadman(ring);
    // The gateway will tell of the stream's end, even if this request is refused.
    if (isFirst) this.deadman.opened(asker.key);
    if (this.#refusesWrite(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const isSet = engine.key(asker.key).deadmanSeconds === seconds;
    const outcome = isSet ? null : this.deadman.set(asker.key, seconds);
    if (outcome?.status === 'rejected') refuse(gateway, ticket, outcome);
    else {
      const seq = engine.accountTouchedSeq(asker.account);
      this.#answerFrom(seq, gateway, ticket, (to) => replies.sendNothing(to, ticket));
    }
  }

  /** Cancels slice by slice, each once the one before is durable, and answers how many orders there were. */
  #cancelSlice(
    { account, key }: requests.Asker,
    filter: requests.CancelFilter,
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
        else gateway.reply((to) => replies.sendCount(to, ticket, cancelled));
      },
      () => refuse(gateway, ticket, LOST),
    );
  }

  /** Answers with the order once its cancellation is durable. */
  #cancelFor({ account, key }: requests.Asker, bet: number, gateway: GatewayEnd, ticket: number): void {
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

  #list(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const list = requests.readList(ring);
    if (this.#refusesKey(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const { bets, next } = listOf(engine, asker.account, list);
    // Bets show their round's state, so the round's last step must be durable, too.
    const seq = Math.max(engine.accountTouchedSeq(asker.account), engine.lifecycleSeq);
    this.#answerFrom(seq, gateway, ticket, (to) => replies.sendBets(to, ticket, bets, next));
  }

  /** Up to this command the archive must have come, so that its answer leaves nothing out. */
  #seq(kind: number, ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    if (this.#refusesKey(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const seq = kind === requests.ACCOUNT_SEQ ? engine.accountTouchedSeq(asker.account) : engine.lifecycleSeq;
    this.#answerFrom(seq, gateway, ticket, (to) => replies.sendCount(to, ticket, seq));
  }

  #round(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const { market, roundNumber } = requests.readRound(ring);
    const { engine } = this.sequencer;
    const round = engine.round(market, roundNumber);
    const unfit = this.#unfitKey(asker);
    if (unfit !== null || round === null) {
      refuse(gateway, ticket, { code: unfit ?? 'round_not_found', detail: '' });
      return;
    }
    const { latestTick, fairShare, nowMs } = this.options;
    const isCurrent = engine.currentRound(market) === round;
    const shareE6 = isCurrent ? fairShare(market, nowMs()) : NO_FAIR_SHARE;
    const facts = JSON.stringify({ round, tick: latestTick(assetOf(market))?.price ?? null, shareE6 });
    // The last bet that it counts may be the last command.
    this.#answerFrom(engine.seq, gateway, ticket, (to) => replies.sendFacts(to, ticket, facts));
  }

  #balance(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    if (this.#refusesKey(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const { balanceCents } = must(engine.account(asker.account), 'account of a key');
    const seq = engine.accountTouchedSeq(asker.account);
    this.#answerFrom(seq, gateway, ticket, (to) => replies.sendBalance(to, ticket, { seq, balanceCents }));
  }

  #account(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    if (this.#refusesKey(asker, gateway, ticket)) return;
    const { engine } = this.sequencer;
    const { balanceCents } = must(engine.account(asker.account), 'account of a key');
    const keys = engine.keysOf(asker.account);
    const activeKeys = keys.filter(({ key }) => this.#unfitKey({ key }) === null).length;
    const account: replies.AccountReply = {
      balanceCents,
      activeKeys,
      ...openSums(engine.openPositions(asker.account, Number.POSITIVE_INFINITY)),
    };
    const seq = engine.accountTouchedSeq(asker.account);
    this.#answerFrom(seq, gateway, ticket, (to) => replies.sendFacts(to, ticket, JSON.stringify(account)));
  }

  #seenKey(ring: RingConsumer, gateway: GatewayEnd, ticket: number): void {
    const asker = requests.readAsker(ring);
    const digest = requests.readSeenKey(ring);
    if (this.#refusesKey(asker, gateway, ticket)) return;
    const { sequencer } = this;
    const { placed, rememberedFromMs } = sequencer.engine.seenKey(asker.account, digest, sequencer.stampMs());
    const facts = { bet: placed?.bet ?? 0, rememberedFromMs };
    this.#answerFrom(placed?.seq ?? 0, gateway, ticket, (to) => replies.sendSeenKey(to, ticket, facts));
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
