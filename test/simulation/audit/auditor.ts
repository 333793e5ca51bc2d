/**
 * All checks of the server: of the hot engine, of the durable commands in the journal, of every answer when it is
 * sent, and of every recovery.
 *
 * After every step: conservation in the hot engine, and the ledger's cheap totals. With every durable batch: the shadow's
 * digest, all rules of rounds and bets, the ledger's totals. At every recovery, at quiet moments and at the end: the digest
 * over the whole state.
 */

import { keyDigest } from '../../../crypto/api-keys.js';
import type { Engine } from '../../../engine/engine.js';
import type { Command, OrderGuards } from '../../../engine/model/commands.js';
import { BET_ENDS, MARKET_IDS, ROUND_RESULTS, roundId } from '../../../engine/model/domain.js';
import type {
  BetPlaced,
  EngineEvent,
  OrderFilled,
  OrderPending,
  Outcome,
} from '../../../engine/model/events.js';
import type { RecoveredEngine } from '../../../persistence/recovery/engine.js';
import type { Machine } from '../machine/machine.js';
import type { Exchange, Reply } from '../machine/network.js';
import type { Server, ServerWatcher } from '../machine/server.js';
import { check } from '../violation.js';
import type { World } from '../world.js';
import { AnswerAudit } from './answers.js';
import { BetLedger } from './bets.js';
import { checkConservation, Ledger } from './ledger.js';
import { PriceAudit } from './prices.js';
import { ProofAudit } from './proofs.js';
import { Reference } from './reference.js';
import { checkFilled, checkGuarded, RefusalAudit } from './refusals.js';
import { RootAudit } from './roots.js';
import { RoundLedger } from './rounds.js';

/** The whole state of shadow and hot engine is compared once in so many durable batches, when both stand at the same. */
const STATE_EVERY_BATCHES = 2_000;

export class Auditor {
  readonly ledger = new Ledger();
  readonly rounds = new RoundLedger(this.ledger);
  readonly bets = new BetLedger(this.ledger, this.rounds);
  readonly prices = new PriceAudit();
  readonly refusals = new RefusalAudit(this.ledger, this.rounds, this.bets.resting);
  readonly roots: RootAudit;
  readonly proofs: ProofAudit;
  readonly answers: AnswerAudit;
  readonly #reference: Reference;
  readonly #placed: (BetPlaced | OrderPending)[] = [];
  readonly #accounts = new Map<string, number>();
  commands = 0;
  durableCommands = 0;
  #comparedAt = 0;
  #violation: unknown = null;

  constructor(
    private readonly world: World,
    masterSecret: Uint8Array,
  ) {
    this.roots = new RootAudit(masterSecret);
    this.proofs = new ProofAudit(masterSecret);
    this.answers = new AnswerAudit(
      {
        durableBets: () => this.#placed.length,
        durableBet: (bet) => this.#placed[bet - 1] ?? null,
        fateOf: (bet) => this.bets.resting.fateOf(bet),
        rootOf: (id) => this.roots.rootOf(id),
        accountOf: (apiKey) => this.#accountOf(apiKey),
        server: () => world.machine.server,
        nowMs: () => world.scheduler.nowMs,
        durableEngine: () => {
          const { server } = world.machine;
          return server !== null && server.engine.seq === server.sequencer.durableSeq ? server.engine : null;
        },
      },
      world.coverage,
    );
    // The disk is asked for when there is something to follow: the machine is made after the auditor.
    this.#reference = new Reference(
      () => world.machine.disk,
      (command, seq, events) => this.#onDurable(command, seq, events),
    );
  }

  get batches(): number {
    return this.#reference.batches;
  }
  /** The engine that did exactly what is durable. */
  get reference(): Engine {
    return this.#reference.engine;
  }

  follow(): void {
    this.#reference.follow();
    this.world.trace.foldText(this.reference.rollingDigest());
  }

  #onDurable(command: Command, seq: number, events: readonly EngineEvent[]): void {
    this.durableCommands++;
    this.world.note(() => `durable ${seq} ${JSON.stringify(command)} -> ${JSON.stringify(events)}`);
    this.ledger.onCommand(command);
    for (const event of events) {
      this.world.coverage.hit('event', eventName(event));
      this.#onEvent(event, command);
    }
    checkFilled(events);
    if (command.kind === 'updateAccount' && command.frozen === true)
      this.bets.resting.checkFrozen(command.account);
    this.ledger.checkTotals(this.reference);
  }

  #onEvent(event: EngineEvent, command: Command): void {
    switch (event.type) {
      case 'betPlaced':
        check(
          command.kind === 'placeOrder' || command.kind === 'placeLimitOrder',
          'bet',
          () => `${command.kind} placed bet ${event.bet}`,
        );
        this.#placed.push(event);
        this.bets.onPlaced(event, command);
        this.#onJoined(event, event.timeMs);
        return;
      case 'orderPending':
        check(
          command.kind === 'placeLimitOrder',
          'rests',
          () => `order ${event.bet} rests by ${command.kind}`,
        );
        this.#placed.push(event);
        this.bets.onPending(event, command);
        return;
      case 'orderFilled':
        this.bets.onFilled(event, command);
        this.#onJoined(event, event.placedAtMs);
        return;
      case 'betSettled':
        this.bets.onSettled(event, command);
        return;
      case 'rootPublished':
        this.roots.onPublished(event, this.rounds.round(event.market, event.roundNumber));
        return;
      default:
        this.ledger.onEvent(event);
        this.rounds.onEvent(event, command);
        if (event.type === 'roundSettled') this.#onRoundSettled(roundId(event.market, event.roundNumber));
    }
  }

  /** A bet has joined its round. */
  #onJoined(bet: BetPlaced | OrderFilled, placedAtMs: number): void {
    this.roots.onBet(bet, placedAtMs);
    this.proofs.onBet(bet, placedAtMs);
  }

  #onRoundSettled(id: string): void {
    this.proofs.onSettled(id, this.roots.rootOf(id));
    this.roots.onSettled(id);
  }

  onRecovered({ engine, end, snapshotSeq, notes }: RecoveredEngine): void {
    this.follow();
    const { coverage } = this.world;
    if (end.lastSeq === 0) coverage.hit('recovery', 'of nothing');
    else coverage.hit('recovery', snapshotSeq > 0 ? 'snapshot and journal' : 'whole journal');
    if (notes.length > 0) coverage.hit('recovery', 'snapshot passed over');
    check(
      end.lastSeq === engine.seq,
      'recovery',
      () => `the journal ends at ${end.lastSeq}, the engine at ${engine.seq}`,
    );
    this.bets.resting.checkSame(engine, 'what rests is recovered');
    this.roots.checkSame(engine);
    this.#reference.checkSame(engine, 'recovered equals reference');
  }

  /** What a server's life is watched by. */
  watcher(machine: Machine): ServerWatcher {
    return {
      beforeCommand: (command) => this.#guarded(() => this.#beforeCommand(command)),
      onCommand: (command, outcome, guards) => this.#guarded(() => this.#onCommand(command, outcome, guards)),
      onStart: (engineMs) => this.prices.start(engineMs),
      onTick: (asset, price, timeMs, arrivedMs, { taken }) => {
        this.world.coverage.hit('client', taken ? 'tick taken' : 'tick refused');
        this.prices.onTick(asset, price, timeMs, arrivedMs, taken);
      },
      onFatal: (error) => machine.onFatal(error),
      onDiskFull: () => machine.stop(),
    };
  }

  /** The sequencer takes what is thrown inside the engine for an error of the engine: it is kept for `afterStep`. */
  #guarded(check: () => void): void {
    try {
      check();
    } catch (thrown) {
      this.#violation ??= thrown;
      throw thrown;
    }
  }

  #beforeCommand(command: Command): void {
    if (command.kind === 'boundaryPrice') this.prices.checkBoundary(command);
    else if (command.kind === 'openLate') this.prices.checkLate(command);
  }

  #onCommand(command: Command, outcome: Outcome, guards: OrderGuards | null): void {
    this.commands++;
    const word = outcome.status === 'rejected' ? outcome.code : outcome.status;
    this.world.coverage.hit('command', `${command.kind} ${word}`);
    this.world.note(() => `hot ${command.timeMs} ${command.kind} ${word}`);
    const isOrder = command.kind === 'placeOrder' || command.kind === 'placeLimitOrder';
    if (isOrder && outcome.status === 'accepted' && guards !== null) checkGuarded(outcome.events, guards);
    if (outcome.status !== 'rejected' || this.world.machine.server?.engine.seq !== this.reference.seq) return;
    if (isOrder) this.refusals.check(command, outcome.code, guards);
    else if (command.kind === 'cancelOrder') this.refusals.checkCancel(command, outcome.code);
  }

  onSent(exchange: Exchange, reply: Reply): void {
    const { trace } = this.world;
    trace.fold(reply.status);
    trace.fold(reply.text.length);
    this.world.note(() => {
      const { method, path, body = '', idempotencyKey = '' } = exchange.request;
      return `answer ${method} ${path} ${idempotencyKey} ${body} -> ${reply.status} ${reply.text.slice(0, 300)}`;
    });
    this.answers.onSent(exchange, reply);
  }

  afterStep(server: Server | null): void {
    if (this.#violation !== null) throw this.#violation;
    if (server === null) return;
    checkConservation(server.engine);
    if (this.#reference.batches < this.#comparedAt || !this.compareStates(server)) return;
    this.#comparedAt = this.#reference.batches + STATE_EVERY_BATCHES;
  }

  /** While nothing waits for the disk, no order rests that has expired, or that could be filled at the newest quote. */
  afterPump({ engine, sequencer, fairShare, lastStampMs, isStopping }: Server): void {
    const { resting } = this.bets;
    if (resting.orders.size === 0 || isStopping || engine.seq !== this.reference.seq) return;
    resting.checkExpired(engine.timeMs);
    if (sequencer.gate !== null) return;
    const nowMs = lastStampMs();
    for (const market of new Set([...resting.orders.values()].map((order) => order.market)))
      check(
        !engine.isFillable(market, fairShare(market, nowMs), nowMs),
        'fills',
        () => `an order that rests in ${MARKET_IDS[market]} could be filled at ${nowMs}`,
      );
  }

  /** Holds the hot engine's whole state against the shadow's; false where one is ahead of the other. */
  compareStates({ engine }: Server): boolean {
    if (engine.seq !== this.reference.seq) return false;
    this.#reference.checkSame(engine, 'shadow equals hot');
    return true;
  }

  #accountOf(apiKey: string): number {
    const known = this.#accounts.get(apiKey);
    if (known !== undefined) return known;
    const key = this.reference.findKey(keyDigest(apiKey));
    if (key === 0) return 0;
    const { account } = this.reference.key(key);
    this.#accounts.set(apiKey, account);
    return account;
  }
}

/** An event's type, with what it came to. */
function eventName(event: EngineEvent): string {
  switch (event.type) {
    case 'betSettled':
      return `betSettled ${BET_ENDS[event.result]}`;
    case 'roundResolved':
      return `roundResolved ${ROUND_RESULTS[event.result]}`;
    case 'roundNotOpened':
    case 'balanceMoved':
      return `${event.type} ${event.reason}`;
    default:
      return event.type;
  }
}
