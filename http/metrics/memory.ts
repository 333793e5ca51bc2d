/** The memory of all figures. */
import { Layout } from './cells.js';
import { engineMeterMemory } from './engine-meter.js';
import { gatewayMeterMemory } from './gateway-meter.js';
import { gaugesMemory } from './gauges.js';
import { threadPlaces } from './thread-meter.js';

const layout = new Layout();
export const OPERATOR_PLACES = { thread: threadPlaces(layout) } as const;
export const operatorSheetOf = (memory: SharedArrayBuffer): Float64Array => layout.sheet(memory);

export interface FiguresMemory {
  /** Written by the engine's thread. */
  readonly engineGauges: SharedArrayBuffer;
  readonly engine: SharedArrayBuffer;
  /** Each written by its gateway. */
  readonly gateways: readonly SharedArrayBuffer[];
  /** Gateways with threads of their own: all of them, or none where the only one runs on the engine's. */
  readonly gatewayThreads: number;
  /** Written by the operators' thread. */
  readonly operators: SharedArrayBuffer;
}

export const figuresMemory = (gatewayThreads: number): FiguresMemory => ({
  engineGauges: gaugesMemory(),
  engine: engineMeterMemory(),
  gateways: Array.from({ length: Math.max(1, gatewayThreads) }, gatewayMeterMemory),
  gatewayThreads,
  operators: layout.memory(),
});
