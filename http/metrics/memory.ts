/** The memory of all figures. */
import { Layout } from './cells.js';
import { ENGINE_LAYOUT } from './engine-meter.js';
import { GATEWAY_LAYOUT } from './gateway-meter.js';
import { gaugesMemory } from './gauges.js';
import { threadPlaces } from './thread-meter.js';

export const OPERATOR_LAYOUT = new Layout();
export const OPERATOR_PLACES = { thread: threadPlaces(OPERATOR_LAYOUT) } as const;

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
  engine: ENGINE_LAYOUT.memory(),
  gateways: Array.from({ length: Math.max(1, gatewayThreads) }, () => GATEWAY_LAYOUT.memory()),
  gatewayThreads,
  operators: OPERATOR_LAYOUT.memory(),
});
