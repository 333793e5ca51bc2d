/** What the engine's thread lets the operators' thread know of itself without being asked, so that it is known while it hangs. */
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { Clock, SpaceLevel } from '../../engine/model/ports.js';
import type { AssetsAt } from '../prices/silent-assets.js';
import { Gauges, gaugesMemory } from './gauges.js';

export const ENGINE_GAUGES = [
  /** Monotonic milliseconds, the same in all threads. */
  'turnEndedMs',
  /** 1 or 0. */
  'isStopping',
  'isClockSound',
  'isBacklogged',
  /** Index into `SPACE_LEVELS`. */
  'spaceLevel',
  /** Assets of which ticks are expected now, and how many of them have had none for a while. */
  'assetsExpected',
  'assetsSilent',
] as const;
export type EngineGauges = Gauges<(typeof ENGINE_GAUGES)[number]>;

export const SPACE_LEVELS: readonly SpaceLevel[] = ['ok', 'soft', 'reserve', 'hard'];

export const engineGaugesMemory = (): SharedArrayBuffer => gaugesMemory(ENGINE_GAUGES);
export const engineGaugesOf = (memory: SharedArrayBuffer): EngineGauges => new Gauges(ENGINE_GAUGES, memory);

export interface EngineFiguresOptions {
  readonly memory: SharedArrayBuffer;
  readonly clock: Clock;
  readonly sequencer: Pick<Sequencer, 'ending' | 'gate' | 'spaceLevel' | 'stampMs' | 'wallClock'>;
  readonly expectedAssets: AssetsAt;
  readonly silentAssets: AssetsAt;
  /** The process is about to end. */
  readonly isStopping: () => boolean;
}

export class EngineFigures {
  readonly #gauges: EngineGauges;

  constructor(private readonly options: EngineFiguresOptions) {
    this.#gauges = engineGaugesOf(options.memory);
  }

  /** To be called every few milliseconds. */
  beat(): void {
    const { clock, sequencer, isStopping } = this.options;
    const gauges = this.#gauges;
    gauges.set('turnEndedMs', clock.monotonicMs());
    gauges.set('isStopping', Number(sequencer.ending || isStopping()));
    gauges.set('isClockSound', Number(sequencer.wallClock.condition === 'sound'));
    gauges.set('isBacklogged', Number(sequencer.gate === 'journal_backlog'));
    gauges.set('spaceLevel', SPACE_LEVELS.indexOf(sequencer.spaceLevel));
  }

  /** To be called about once a second. */
  sample(): void {
    const { sequencer, expectedAssets, silentAssets } = this.options;
    const nowMs = sequencer.stampMs();
    this.#gauges.set('assetsExpected', expectedAssets(nowMs).length);
    this.#gauges.set('assetsSilent', silentAssets(nowMs).length);
  }
}
