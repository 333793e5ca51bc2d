/**
 * All checks of the server. After every step: conservation in the hot engine. With every durable command: the
 * reference model. With every durable batch: the shadow's digest. At every recovery, now and then, and at the end:
 * the digest over the whole state, and all reads.
 */
import { keyDigest } from '../../../crypto/api-keys.js';
import type { Engine } from '../../../engine/engine.js';
import type { Command, OrderGuards } from '../../../engine/model/commands.js';
import { BET_ENDS, MARKET_IDS, ROUND_RESULTS } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BetPlaced, EngineEvent, OrderPending, Outcome } from '../../../engine/model/events.js';
import type { RecoveredEngine } from '../../../persistence/recovery/engine.js';
import { outcomeKind } from '../../support/reference/outcomes.js';
import type { Machine } from '../machine/machine.js';
import type { Exchange, Reply } from '../machine/network.js';
import type { Server, ServerWatcher } from '../machine/server.js';
import { check } from '../violation.js';
import type { World } from '../world.js';
import { AnswerAudit } from './answers.js';
import { checkConservation, Oracle } from './oracle.js';
import { PriceAudit } from './prices.js';
import { RootAudit } from './roots.js';

/** Shadow and hot engine are compared whole once in so many durable batches, when both are at the same. */
const STATE_EVERY_BATCHES = 2_000;
/** Stakes of resting orders go back so soon after betting has closed, where the server runs. */
const EXPIRED_WITHIN_MS = 4_000;

export class Auditor {
  readonly prices = new PriceAudit();
  readonly roots: RootAudit;
  readonly answers: AnswerAudit;
  readonly oracle: Oracle;
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
    this.answers = new AnswerAudit(
      {
        durableBets: () => this.#placed.length,
        durableBet: (bet) => this.#placed[bet - 1] ?? null,
        fateOf: (bet) => this.oracle.fateOf(bet),
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
    // The machine is made after the auditor, so its disk is asked for later.
    this.oracle = new Oracle(
      () => world.machine.disk,
      (command, seq, events) => this.#onDurable(command, seq, events),
    );
  }

  get shadow(): Engine {
    return this.oracle.shadow;
  }

  follow(): void {
    this.oracle.follow();
    this.world.trace.foldText(this.shadow.rollingDigest());
  }

  #onDurable(command: Command, seq: number, events: readonly EngineEvent[]): void {
    this.durableCommands++;
    this.world.note(() => `durable ${seq} ${JSON.stringify(command)} -> ${JSON.stringify(events)}`);
    for (const event of events) {
      this.world.coverage.hit('event', eventName(event));
      this.#onEvent(event);
    }
  }

  #onEvent(event: EngineEvent): void {
    switch (event.type) {
      case 'betPlaced':
        this.#placed.push(event);
        this.roots.onBet(event, event.timeMs);
        return;
      case 'orderPending':
        this.#placed.push(event);
        return;
      case 'orderFilled':
        this.roots.onBet(event, event.placedAtMs);
        return;
      case 'rootPublished':
        this.roots.onPublished(event);
        return;
      case 'roundSettled':
        this.roots.onSettled(event.market, event.roundNumber);
        return;
      default:
        return;
    }
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
    this.oracle.checkSame(engine, 'recovered equals reference');
  }

  watcher(machine: Machine): ServerWatcher {
    return {
      beforeCommand: (command) => this.#guarded(() => this.#beforeCommand(command)),
      onCommand: (command, outcome, gate, guards) =>
        this.#guarded(() => this.#onCommand(command, outcome, gate, guards)),
      onStart: (engineMs) => this.prices.start(engineMs),
      onTick: (asset, price, timeMs, arrivedMs, { taken }) => {
        this.world.coverage.hit('client', taken ? 'tick taken' : 'tick refused');
        if (taken) this.prices.onTaken(asset, price, timeMs, arrivedMs);
      },
      onFatal: (error) => machine.onFatal(error),
      onDiskFull: () => machine.stop(),
    };
  }

  /** The sequencer takes a throw inside the engine for an error of the engine: it is kept for `afterStep`. */
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

  #onCommand(command: Command, outcome: Outcome, gate: ErrorCode | null, guards: OrderGuards | null): void {
    this.commands++;
    const word = outcome.status === 'rejected' ? outcome.code : outcome.status;
    this.world.coverage.hit('command', `${outcomeKind(command)} ${word}`);
    this.world.note(() => `hot ${command.timeMs} ${command.kind} ${word}`);
    const { server } = this.world.machine;
    if (server !== null) this.oracle.onHot(server.engine, command, outcome, { gate, guards });
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
    if (this.oracle.batches < this.#comparedAt || !this.compareStates(server)) return;
    this.#comparedAt = this.oracle.batches + STATE_EVERY_BATCHES;
  }

  /** While nothing waits for the disk, no order rests that has expired, or that could be filled at the newest quote. */
  afterPump({ engine, sequencer, fairShare, lastStampMs, isStopping }: Server): void {
    const { model } = this.oracle;
    if (engine.restingOrders === 0 || isStopping || engine.seq !== model.seq) return;
    check(
      engine.timeMs - model.nextExpiryMs < EXPIRED_WITHIN_MS,
      'expires',
      () => `an order rests at ${engine.timeMs}, and was to expire at ${model.nextExpiryMs}`,
    );
    if (sequencer.gate !== null) return;
    const nowMs = lastStampMs();
    for (const [market, id] of MARKET_IDS.entries())
      check(
        engine.marketRules(market) === null || !engine.isFillable(market, fairShare(market, nowMs), nowMs),
        'fills',
        () => `an order that rests in ${id} could be filled at ${nowMs}`,
      );
  }

  compareStates({ engine }: Server): boolean {
    if (engine.seq !== this.shadow.seq) return false;
    this.oracle.checkSame(engine, 'shadow equals hot');
    return true;
  }

  #accountOf(apiKey: string): number {
    const known = this.#accounts.get(apiKey);
    if (known !== undefined) return known;
    const digest = keyDigest(apiKey);
    let key = this.shadow.keyCount;
    while (key > 0 && this.shadow.keyDigest(key) !== digest) key -= 1;
    if (key === 0) return 0;
    const { account } = this.shadow.key(key);
    this.#accounts.set(apiKey, account);
    return account;
  }
}

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
