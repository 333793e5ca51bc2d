/**
 * Two engines that never crash take in exactly the durable commands, from the journal's text. The hot engine and each
 * recovered one must have the state of the shadow, a real engine. The reference model says what each command comes
 * to, and what can be read afterwards.
 */
import { isDeepStrictEqual } from 'node:util';
import { Engine, type EngineReads } from '../../../engine/engine.js';
import { decodeCommand } from '../../../engine/model/command-codec.js';
import type { Command, OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { END_CANCELLED, END_EXPIRED, marketOf, WRITE_TIER } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { EngineEvent, Outcome } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { readAll, type Scope } from '../../support/reference/compare.js';
import { newHasher } from '../../support/reference/pair.js';
import { ReferenceEngine } from '../../support/reference/reference-engine.js';
import type { SimDisk } from '../machine/disk.js';
import { check } from '../violation.js';

type OnDurable = (command: Command, seq: number, events: readonly EngineEvent[]) => void;

/** A filled order stays so, whatever becomes of its bet. */
export type Fate = 'PENDING' | 'FILLED' | 'CANCELLED' | 'EXPIRED';

/** With what an order came to the engine: neither is in the journal. */
interface Edge {
  readonly gate: ErrorCode | null;
  readonly guards: OrderGuards | null;
}

const ORDERS_WRITE = 0b0100;
/** Keys expire by the wall clock, which counts as sound this far before engine time. */
const CLOCK_TOLERANCE_MS = 1_000;
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

  follow(): void {
    const disk = this.disk();
    const { rows } = disk;
    for (let i = disk.indexAfter(this.shadow.seq); i < rows.length; i++) this.#apply(rows[i] as StoredBatch);
  }

  #apply(row: StoredBatch): void {
    const commands = JSON.parse(row.commands) as unknown[];
    for (const text of commands) this.#applyCommand(decodeCommand(text));
    const digest = this.shadow.rollingDigest();
    check(this.shadow.seq === row.lastSeq, 'shadow', () => `batch ${row.lastSeq} ends at ${this.shadow.seq}`);
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

  /** The outcome may also be a refusal or a replay. */
  onHot(hot: Engine, command: Command, outcome: Outcome, edge: Edge): void {
    if (outcome.status === 'accepted') {
      if (edge.guards === null && edge.gate === null) this.#edges.delete(outcome.seq);
      else this.#edges.set(outcome.seq, edge);
    } else if (hot.seq === this.model.seq) {
      this.#checkSameOutcome(command, outcome, this.model.apply(command, edge.gate, edge.guards));
    }
  }

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

  /** The engine leaves the key's rights to the edge. */
  #checkKey({ account, key, timeMs }: PlaceOrder): void {
    const { model: state } = this;
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

  fateOf(bet: number): Fate | null {
    const order = this.model.bets[bet - 1];
    if (order === undefined || !order.hasRested) return null;
    if (order.settled?.result === END_CANCELLED) return 'CANCELLED';
    if (order.settled?.result === END_EXPIRED) return 'EXPIRED';
    return order.filledAtMs === null ? 'PENDING' : 'FILLED';
  }

  /** `engine` has done exactly the same commands: it must have the shadow's state and read as the model. */
  checkSame(engine: Engine, what: string): void {
    check(engine.seq === this.shadow.seq, what, () => `it ends at ${engine.seq}, not ${this.shadow.seq}`);
    check(engine.rollingDigest() === this.shadow.rollingDigest(), what, () => 'its rolling digest differs');
    check(
      engine.stateDigest(newHasher) === this.#stateDigest(),
      what,
      () => `its state at ${engine.seq} is another`,
    );
    this.#checkSameReads(engine, what);
  }

  /** Kept: several recoveries of the same journal ask for the same one. */
  #stateDigest(): string {
    if (this.#digestSeq !== this.shadow.seq) {
      this.#digest = this.shadow.stateDigest(newHasher);
      this.#digestSeq = this.shadow.seq;
    }
    return this.#digest;
  }

  #checkSameReads(engine: Engine, what: string): void {
    const { model } = this;
    if (model.rules === null) return;
    const markets = model.rules.markets.map(({ marketId }) => marketOf(marketId));
    const rounds = [...this.#rounds.values()];
    const scope: Scope = { markets, assets: [], rounds, limits: LIST_LIMITS, timesMs: [] };
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
