/** All figures as the operators' thread reads them at one moment. */

import { Histogram, sumOf } from './cells.js';
import { type EngineGauges, engineGaugesOf } from './engine-figures.js';
import { ENGINE_PLACES, engineSheetOf } from './engine-meter.js';
import { GATEWAY_PLACES, gatewaySheetOf, ORDER_STAGES } from './gateway-meter.js';
import { type FiguresMemory, OPERATOR_PLACES, operatorSheetOf } from './memory.js';
import { COMMANDS, MICROSECONDS } from './scale.js';
import type { ThreadPlaces } from './thread-meter.js';

export interface ThreadFigures {
  /** `engine`, `operators`, `gateway0` and so on. */
  readonly name: string;
  readonly activeMs: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
  readonly clientFaults: number;
  /** The longest delay of each second. */
  readonly delay: Histogram;
}

export interface Reading {
  /** The time of the reading, in milliseconds since 1970 and monotonic. */
  readonly timeMs: number;
  readonly monotonicMs: number;
  readonly gauges: EngineGauges;
  /** The sheet of the engine's thread, and the sum of those of the gateways. */
  readonly engine: Float64Array;
  readonly gateways: Float64Array;
  readonly gatewayCount: number;
  readonly connections: number;
  /** Of accepted orders, at all gateways. */
  readonly orders: Histogram;
  readonly stages: readonly { readonly name: string; readonly took: Histogram }[];
  readonly batchCommands: Histogram;
  readonly commit: Histogram;
  /** Of a leader: its batches on their way into the replicated log. */
  readonly publish: Histogram;
  readonly threads: readonly ThreadFigures[];
}

export class Readings {
  readonly #gauges: SharedArrayBuffer;
  readonly #engine: Float64Array;
  readonly #gateways: readonly Float64Array[];
  readonly #operators: Float64Array;
  readonly #connections: Int32Array;

  /** `openConnections` is one 32-bit integer: those of the public port. */
  constructor(memory: FiguresMemory, openConnections: SharedArrayBuffer) {
    this.#gauges = memory.engineGauges;
    this.#engine = engineSheetOf(memory.engine);
    this.#gateways = memory.gateways.map(gatewaySheetOf);
    this.#operators = operatorSheetOf(memory.operators);
    this.#connections = new Int32Array(openConnections);
  }

  take(timeMs: number, monotonicMs: number): Reading {
    const engine = Float64Array.from(this.#engine);
    const gateways = sumOf(this.#gateways, this.#gateways[0]?.length ?? 0);
    return {
      timeMs,
      monotonicMs,
      gauges: engineGaugesOf(this.#gauges.slice(0)),
      engine,
      gateways,
      gatewayCount: this.#gateways.length,
      connections: Atomics.load(this.#connections, 0),
      orders: new Histogram(gateways, GATEWAY_PLACES.orders, MICROSECONDS),
      stages: ORDER_STAGES.map((name, at) => ({
        name,
        took: new Histogram(gateways, GATEWAY_PLACES.stages[at] ?? 0, MICROSECONDS),
      })),
      batchCommands: new Histogram(engine, ENGINE_PLACES.batchCommands, COMMANDS),
      commit: new Histogram(engine, ENGINE_PLACES.commit, MICROSECONDS),
      publish: new Histogram(engine, ENGINE_PLACES.publish, MICROSECONDS),
      threads: [
        threadFigures('engine', engine, ENGINE_PLACES.thread),
        ...this.#gateways.map((sheet, at) => threadFigures(`gateway${at}`, sheet, GATEWAY_PLACES.thread)),
        threadFigures('operators', this.#operators, OPERATOR_PLACES.thread),
      ],
    };
  }
}

const threadFigures = (name: string, sheet: Float64Array, places: ThreadPlaces): ThreadFigures => ({
  name,
  activeMs: sheet[places.activeMs] as number,
  heapUsedBytes: sheet[places.heapUsedBytes] as number,
  heapTotalBytes: sheet[places.heapTotalBytes] as number,
  externalBytes: sheet[places.externalBytes] as number,
  clientFaults: sheet[places.clientFaults] as number,
  delay: new Histogram(sheet, places.delay, MICROSECONDS),
});
