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

export type Reading = ReturnType<Readings['take']>;

export class Readings {
  /** `CONNECTION_CELLS` of the public port and the operators'. */
  constructor(
    private readonly memory: FiguresMemory,
    private readonly connections: readonly Int32Array[],
    private readonly guesses: () => Pick<Guesses, 'wrong' | 'refused'>,
  ) {}

  /** `timeMs` is in milliseconds since 1970. */
  take(timeMs: number, monotonicMs: number) {
    const { engineGauges, gatewayThreads, operators } = this.memory;
    const engine = Float64Array.from(ENGINE_LAYOUT.sheet(this.memory.engine));
    const sheets = this.memory.gateways.map((memory) => GATEWAY_LAYOUT.sheet(memory));
    const gateways = sumOf(sheets);
    const guesses = this.guesses();
    const here = threadFigures('engine', engine, ENGINE_PLACES.thread);
    const ofGateways = sheets.map((sheet, at) => threadFigures(`gateway${at}`, sheet, GATEWAY_PLACES.thread));
    const own = ofGateways.splice(0, gatewayThreads);
    const clientFaults = ofGateways.reduce((sum, gateway) => sum + gateway.clientFaults, here.clientFaults);
    return {
      ...{ timeMs, monotonicMs },
      gauges: new Gauges(engineGauges.slice(0)),
      /** The sheet of the engine's thread, and the sum of those of the gateways. */
      ...{ engine, gateways },
      /** Threads of their own; none where the engine's serves the port. */
      gatewayThreads,
      connections: this.connections[0]?.[CONNECTION_CELLS.open] ?? 0,
      connectionsTaken: { public: takenOf(this.connections[0]), operators: takenOf(this.connections[1]) },
      orders: new Histogram(gateways, GATEWAY_PLACES.orders, MICROSECONDS),
      stages: ORDER_STAGES.map((name, at) => ({
        name,
        took: new Histogram(gateways, GATEWAY_PLACES.stages[at] ?? 0, MICROSECONDS),
      })),
      batchCommands: new Histogram(engine, ENGINE_PLACES.batchCommands, COMMANDS),
      commit: new Histogram(engine, ENGINE_PLACES.commit, MICROSECONDS),
      /** On a leader: its batches on their way into the replicated log. */
      publish: new Histogram(engine, ENGINE_PLACES.publish, MICROSECONDS),
      /** Requests with operator tokens that nobody has, since the start. */
      wrongTokens: guesses.wrong + guesses.refused,
      threads: [
        { ...here, clientFaults },
        ...own,
        threadFigures('operators', OPERATOR_LAYOUT.sheet(operators), OPERATOR_PLACES.thread),
      ],
    };
  }
}

const takenOf = (cells: Int32Array | undefined): number =>
  (cells?.[CONNECTION_CELLS.open] ?? 0) / (cells?.[CONNECTION_CELLS.max] || 1);

export type ThreadFigures = ReturnType<typeof threadFigures>;
/** `name` is `engine`, `operators`, `gateway0` and so on. */
const threadFigures = (name: string, sheet: Float64Array, places: ThreadPlaces) => ({
  name,
  activeMs: sheet[places.activeMs] as number,
  heapUsedBytes: sheet[places.heapUsedBytes] as number,
  heapTotalBytes: sheet[places.heapTotalBytes] as number,
  externalBytes: sheet[places.externalBytes] as number,
  clientFaults: sheet[places.clientFaults] as number,
  delay: new Histogram(sheet, places.delay, MICROSECONDS),
});
