/**
 * The server is held against two engines that never crash. Both take in exactly the durable commands, from the journal's
 * text. The shadow is the real engine: the hot one and each recovered one must have its state. The reference model, which
 * the engine's own tests use, says what each command comes to, and what can be read afterwards.
 */
import { isDeepStrictEqual } from 'node:util';
import { Engine } from '../../../engine/engine.js';
import { decodeCommand } from '../../../engine/model/command-codec.js';
import type { Command, OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { END_CANCELLED, END_EXPIRED, marketOf, WRITE_TIER } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { EngineEvent, Outcome } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { EngineReads } from '../../../engine/model/views.js';
import { readAll, type Scope } from '../../support/reference/compare.js';
import { newHasher } from '../../support/reference/pair.js';
import { ReferenceEngine } from '../../support/reference/reference-engine.js';
import type { SimDisk } from '../machine/disk.js';
import { check } from '../violation.js';

export type OnDurable = (command: Command, seq: number, events: readonly EngineEvent[]) => void;

/** What has become of a limit order that rested; it is filled from its bet's beginning on, whatever comes of that. */
export type Fate = 'PENDING' | 'FILLED' | 'CANCELLED' | 'EXPIRED';

/** With what an order came to the engine: neither is in the journal. */
interface Edge {
  readonly gate: ErrorCode | null;
  readonly guards: OrderGuards | null;
}

const ORDERS_WRITE = 0b0100;
/** Key expiry is judged on the wall clock, which may stand this far before engine time and count as sound. */
const CLOCK_TOLERANCE_MS = 1_000;
/** Rounds whose reads are compared. */
const ROUNDS_READ = 60;
const LIST_LIMITS = [1, 50] as const;

export class Oracle {
  readonly shadow = new Engine();
  readonly model = new ReferenceEngine();
  batches = 0;
  #digest = '';
  #digestSeq = -1;
  /** By number of the command; a life that is lost has its numbers taken by others. */
  readonly #edges = new Map<number, Edge>();
  readonly #rounds = new Map<string, readonly [market: number, roundNumber: number]>();

  constructor(
    private readonly disk: () => SimDisk,
    private readonly onDurable: OnDurable,
  ) {}

  /** Takes in every row that has become durable. */
  follow(): void {
    const disk = this.disk();
    const { rows } = disk;
    for (let i = disk.indexAfter(this.shadow.seq); i < rows.length; i++) this.#apply(rows[i] as StoredBatch);
  }

  #apply(row: StoredBatch): void {
    const commands = JSON.parse(row.commands) as unknown[];
    for (const text of commands) this.#applyCommand(decodeCommand(text));
    const digest = this.shadow.rollingDigest();
    check(
      this.shadow.seq === row.lastSeq,
      'shadow',
      () => `the batch to ${row.lastSeq} ends at ${this.shadow.seq}`,
    );
    check(
      digest === row.digest,
      'shadow equals hot',
      () => `after ${row.lastSeq} the digest is ${digest}, the hot engine's ${row.digest}`,
    );
    this.batches++;
  }

  #applyCommand(command: Command): void {
    const edge = this.#edges.get(this.shadow.seq + 1);
    this.#edges.delete(this.shadow.seq + 1);
    if (command.kind === 'placeOrder') this.#checkKey(command);
    const outcome = this.shadow.apply(command);
    const expected = this.model.apply(command, edge?.gate, edge?.guards);
    this.#checkSameOutcome(command, outcome, expected);
    check(outcome.status === 'accepted', 'shadow', () => `journaled ${command.kind} is ${outcome.status}`);
    for (const event of outcome.events) {
      if ('roundNumber' in event) this.#noteRound(event.market, event.roundNumber);
      if ('account' in event) this.#checkSameAccount(event.account);
    }
    this.onDurable(command, outcome.seq, outcome.events);
  }

  /** The hot engine has done `command`, or refused it, or answered it again. */
  onHot(hot: Engine, command: Command, outcome: Outcome, edge: Edge): void {
    if (outcome.status === 'accepted') {
      if (edge.guards === null && edge.gate === null) this.#edges.delete(outcome.seq);
      else this.#edges.set(outcome.seq, edge);
    } else if (hot.seq === this.model.seq) {
      this.#checkSameOutcome(command, outcome, this.model.apply(command, edge.gate, edge.guards));
    }
  }

  /** Apart from what is said to people. */
  #checkSameOutcome(command: Command, actual: Outcome, expected: Outcome): void {
    const isSame =
      actual.status === 'rejected'
        ? expected.status === 'rejected' && actual.code === expected.code
        : isDeepStrictEqual(actual, expected);
    check(
      isSame,
      'reference model',
      () =>
        `${JSON.stringify(command)} comes to ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`,
      () => ('account' in command ? [`acc_${command.account}`] : []),
    );
  }

  #checkSameAccount(account: number): void {
    if (account === 0) return;
    const [actual, expected] = [this.shadow, this.model].map((one) => one.account(account));
    check(
      isDeepStrictEqual({ ...actual }, { ...expected }),
      'account',
      () => `it is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`,
      () => [`acc_${account}`],
    );
  }

  /** An order is placed by a key that may: the engine leaves that to the edge. */
  #checkKey({ account, key, timeMs }: PlaceOrder): void {
    const { state } = this.model;
    const by = state.keys[key - 1];
    const of = state.accounts[account - 1];
    const isGood = by?.account === account && by.enabled && (by.scopesMask & ORDERS_WRITE) !== 0;
    const isExpired = by?.expiresAtMs != null && timeMs >= by.expiresAtMs + CLOCK_TOLERANCE_MS;
    const mayWrite = of !== undefined && of.tier >= WRITE_TIER && !of.frozen;
    check(
      isGood && !isExpired && mayWrite,
      'key',
      () => `an order of account ${account} is placed at ${timeMs} with ${JSON.stringify(by)}`,
      () => [`acc_${account}`],
    );
  }

  #noteRound(market: number, roundNumber: number): void {
    const name = `${market}/${roundNumber}`;
    this.#rounds.delete(name);
    this.#rounds.set(name, [market, roundNumber]);
    const [oldest] = this.#rounds.keys();
    if (this.#rounds.size > ROUNDS_READ && oldest !== undefined) this.#rounds.delete(oldest);
  }

  /** null of an order that never rested. */
  fateOf(bet: number): Fate | null {
    const order = this.model.state.bets[bet - 1];
    if (order === undefined || !order.hasRested) return null;
    if (order.settled?.result === END_CANCELLED) return 'CANCELLED';
    if (order.settled?.result === END_EXPIRED) return 'EXPIRED';
    return order.filledAtMs === null ? 'PENDING' : 'FILLED';
  }

  /** The whole state of `engine`, which has done exactly the same commands, is the shadow's, and reads as the model's. */
  checkSame(engine: Engine, what: string): void {
    check(
      engine.seq === this.shadow.seq,
      what,
      () => `it ends at ${engine.seq}, durable are ${this.shadow.seq}`,
    );
    check(
      engine.rollingDigest() === this.shadow.rollingDigest(),
      what,
      () => 'its rolling digest is another',
    );
    check(
      engine.stateDigest(newHasher) === this.#stateDigest(),
      what,
      () => `its state at ${engine.seq} is another`,
    );
    this.#checkSameReads(engine, what);
  }

  /** Digest of the whole state; several recoveries of the same journal ask for the same one. */
  #stateDigest(): string {
    if (this.#digestSeq !== this.shadow.seq) {
      this.#digest = this.shadow.stateDigest(newHasher);
      this.#digestSeq = this.shadow.seq;
    }
    return this.#digest;
  }

  #checkSameReads(engine: EngineReads, what: string): void {
    const { model } = this;
    if (model.rules === null) return;
    const markets = model.rules.markets.map(({ marketId }) => marketOf(marketId));
    const scope: Scope = {
      markets,
      assets: [],
      rounds: [...this.#rounds.values()],
      keyDigests: model.state.keys.map(({ digest }) => digest),
      limits: LIST_LIMITS,
      timesMs: [],
    };
    const actual = readAll(engine, scope);
    const expected = readAll(model, scope);
    for (const name of Object.keys(expected))
      check(
        JSON.stringify(actual[name]) === JSON.stringify(expected[name]) ||
          isDeepStrictEqual(actual[name], expected[name]),
        what,
        () => `${name} reads ${JSON.stringify(actual[name])}, expected ${JSON.stringify(expected[name])}`,
      );
  }
}

/** house + accounts + open stakes + open seeds + reserved stakes = deposits - withdrawals, to the cent. */
export function checkConservation(engine: EngineReads): void {
  const t = engine.totals();
  const held = t.houseCents + t.accountsCents + t.openStakesCents + t.openSeedsCents + t.reservedStakesCents;
  check(
    held === t.depositsCents - t.withdrawalsCents,
    'conservation',
    () => `${held} cents are held, ${t.depositsCents - t.withdrawalsCents} have come in`,
  );
}
