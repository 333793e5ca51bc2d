/** All figures as the operators' thread reads them at one moment. */
import type { Guesses } from '../../engine/model/operators.js';
import { CONNECTION_CELLS } from '../uws/connection-limits.js';
import { Histogram, sumOf } from './cells.js';
import { ENGINE_LAYOUT, ENGINE_PLACES } from './engine-meter.js';
import { GATEWAY_LAYOUT, GATEWAY_PLACES, ORDER_STAGES } from './gateway-meter.js';
import { Gauges } from './gauges.js';
import { type FiguresMemory, OPERATOR_LAYOUT, OPERATOR_PLACES } from './memory.js';
import { COMMANDS, MICROSECONDS } from './scale.js';
import type { ThreadPlaces } from './thread-meter.js';

export interface ThreadFigures extends Omit<ThreadPlaces, 'delay'> {
  /** `engine`, `operators`, `gateway0` and so on. */
  readonly name: string;
  /** The longest delay of each second. */
  readonly delay: Histogram;
}

export interface Reading {
  /** In milliseconds since 1970, and monotonic. */
  readonly timeMs: number;
  readonly monotonicMs: number;
  readonly gauges: Gauges;
  /** The sheet of the engine's thread, and the sum of those of the gateways. */
  readonly engine: Float64Array;
  readonly gateways: Float64Array;
  /** Threads of their own; none where the engine's serves the port. */
  readonly gatewayThreads: number;
  readonly connections: number;
  readonly connectionsTaken: { readonly public: number; readonly operators: number };
  readonly orders: Histogram;
  readonly stages: readonly { readonly name: string; readonly took: Histogram }[];
  readonly batchCommands: Histogram;
  readonly commit: Histogram;
  /** On a leader: its batches on their way into the replicated log. */
  readonly publish: Histogram;
  /** Requests with operator tokens that nobody has, since the start. */
  readonly wrongTokens: number;
  readonly threads: readonly ThreadFigures[];
}

export class Readings {
  readonly #gauges: SharedArrayBuffer;
  readonly #engine: Float64Array;
  readonly #gateways: readonly Float64Array[];
  readonly #gatewayThreads: number;
  readonly #operators: Float64Array;

  /** `CONNECTION_CELLS` of the public port and the operators'. */
  constructor(
    memory: FiguresMemory,
    private readonly connections: readonly Int32Array[],
    private readonly guesses: () => Pick<Guesses, 'wrong' | 'refused'>,
  ) {
    this.#gauges = memory.engineGauges;
    this.#engine = ENGINE_LAYOUT.sheet(memory.engine);
    this.#gateways = memory.gateways.map((sheet) => GATEWAY_LAYOUT.sheet(sheet));
    this.#gatewayThreads = memory.gatewayThreads;
    this.#operators = OPERATOR_LAYOUT.sheet(memory.operators);
  }

  take(timeMs: number, monotonicMs: number): Reading {
    const engine = Float64Array.from(this.#engine);
    const guesses = this.guesses();
    const gateways = sumOf(this.#gateways, this.#gateways[0]?.length ?? 0);
    return {
      timeMs,
      monotonicMs,
      gauges: new Gauges(this.#gauges.slice(0)),
      engine,
      gateways,
      gatewayThreads: this.#gatewayThreads,
      connections: this.connections[0]?.[CONNECTION_CELLS.open] ?? 0,
      connectionsTaken: { public: takenOf(this.connections[0]), operators: takenOf(this.connections[1]) },
      orders: new Histogram(gateways, GATEWAY_PLACES.orders, MICROSECONDS),
      stages: ORDER_STAGES.map((name, at) => ({
        name,
        took: new Histogram(gateways, GATEWAY_PLACES.stages[at] ?? 0, MICROSECONDS),
      })),
      batchCommands: new Histogram(engine, ENGINE_PLACES.batchCommands, COMMANDS),
      commit: new Histogram(engine, ENGINE_PLACES.commit, MICROSECONDS),
      publish: new Histogram(engine, ENGINE_PLACES.publish, MICROSECONDS),
      wrongTokens: guesses.wrong + guesses.refused,
      threads: this.#threads(engine),
    };
  }

  #threads(engine: Float64Array): ThreadFigures[] {
    const gateways = this.#gateways.map((sheet, at) =>
      threadFigures(`gateway${at}`, sheet, GATEWAY_PLACES.thread),
    );
    const own = gateways.splice(0, this.#gatewayThreads);
    const here = threadFigures('engine', engine, ENGINE_PLACES.thread);
    const clientFaults = gateways.reduce((sum, gateway) => sum + gateway.clientFaults, here.clientFaults);
    const operators = threadFigures('operators', this.#operators, OPERATOR_PLACES.thread);
    return [{ ...here, clientFaults }, ...own, operators];
  }
}

const takenOf = (cells: Int32Array | undefined): number =>
  (cells?.[CONNECTION_CELLS.open] ?? 0) / (cells?.[CONNECTION_CELLS.max] || 1);

const threadFigures = (name: string, sheet: Float64Array, places: ThreadPlaces): ThreadFigures => ({
  name,
  activeMs: sheet[places.activeMs] as number,
  heapUsedBytes: sheet[places.heapUsedBytes] as number,
  heapTotalBytes: sheet[places.heapTotalBytes] as number,
  externalBytes: sheet[places.externalBytes] as number,
  clientFaults: sheet[places.clientFaults] as number,
  delay: new Histogram(sheet, places.delay, MICROSECONDS),
});
