/** The memory of all figures. */
import { Layout } from './cells.js';
import { ENGINE_LAYOUT } from './engine-meter.js';
import { GATEWAY_LAYOUT } from './gateway-meter.js';
import { gaugesMemory } from './gauges.js';
import { threadPlaces } from './thread-meter.js';

export const OPERATOR_LAYOUT = new Layout();
export const OPERATOR_PLACES = { thread: threadPlaces(OPERATOR_LAYOUT) } as const;

export type FiguresMemory = ReturnType<typeof figuresMemory>;
export const figuresMemory = (gatewayThreads: number) => ({
  /** Written by the engine's thread. */
  engineGauges: gaugesMemory(),
  engine: ENGINE_LAYOUT.memory(),
  /** Each written by its gateway. */
  gateways: Array.from({ length: Math.max(1, gatewayThreads) }, () => GATEWAY_LAYOUT.memory()),
  /** Gateways with threads of their own: all of them, or none where the only one runs on the engine's. */
  gatewayThreads,
  /** Written by the operators' thread. */
  operators: OPERATOR_LAYOUT.memory(),
});
