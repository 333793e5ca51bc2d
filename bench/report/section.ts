/**
 * The result of a section of the suite: tables for the terminal, ratios with their goals, and data for the JSON file.
 */
import type { Cores } from '../host/cores.js';
import type { Environment } from '../host/environment.js';
import type { Measured } from './goals.js';
import type { BenchRun } from './options.js';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Both measurements are of the same run. */
export interface Ratio {
  readonly what: string;
  readonly value: number;
  /** By requests per second of CPU time; null if unknown. */
  readonly byCpu: number | null;
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xLog: boolean;
  readonly yLog: boolean;
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

export interface Findings {
  readonly tables: readonly Table[];
  readonly ratios?: readonly Ratio[];
  readonly notes: readonly string[];
  readonly plots?: readonly Plot[];
  readonly measured?: readonly Measured[];
  readonly data?: unknown;
}

export interface SectionResult extends Findings {
  readonly name: string;
  readonly tookSeconds?: number;
}

/** The JSON file of a run. */
export interface Run {
  readonly environment: Environment;
  readonly options: BenchRun;
  readonly results: readonly SectionResult[];
}

export interface SuiteOptions {
  readonly quick: boolean;
  readonly rounds: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly durability: 'fsync' | 'os';
  readonly cores: Cores;
  readonly workDir: string;
  readonly progress: (text: string) => void;
}

export type Section = (options: SuiteOptions) => Promise<Findings>;

/** The mean of the two middle values where there are two. NaN for none, and where a round has no figure. */
export function median(values: readonly number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
