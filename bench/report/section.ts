/** What a section of the suite comes to: tables for the terminal, ratios with their goals, and data for the JSON file. */

import type { Cores } from '../host/cores.js';
import type { GoalName, Measured } from './goals.js';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** `value` is of two measurements in the same run. */
export interface Ratio {
  readonly what: string;
  readonly value: number;
  /** The same of the rates that the servers' CPU times would allow, a second of CPU each; null where unknown. */
  readonly byCpu: number | null;
  /** The same with the time counted that a server needs after its windows for what it has put off; absent where none puts off. */
  readonly sustained?: number;
  /** What the value must reach, and what it is hoped to reach; null where nothing was set. */
  readonly must: number | null;
  readonly aim: number | null;
  /** The line of the speed table that it is for. */
  readonly goal?: GoalName;
  /** What to read it with there, besides the other ratios of the same. */
  readonly beside?: string;
}

/** Lines through points, for the report. */
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

export interface SectionResult {
  readonly name: string;
  readonly tables: readonly Table[];
  readonly ratios: readonly Ratio[];
  /** What a reader must know to take the figures for what they are. */
  readonly notes: readonly string[];
  readonly plots?: readonly Plot[];
  /** Lines of the speed table that are no ratios. */
  readonly measured?: readonly Measured[];
  readonly data: unknown;
  /** Set by the run. */
  readonly tookSeconds?: number;
}

export interface SuiteOptions {
  readonly quick: boolean;
  /** Times that each row is measured; the median counts. */
  readonly rounds: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly durability: 'fsync' | 'os';
  readonly cores: Cores;
  /** An empty directory for everything that a section writes; it is removed afterwards. */
  readonly workDir: string;
  readonly progress: (text: string) => void;
}

export type Section = (options: SuiteOptions) => Promise<SectionResult>;

/** The middle value; the mean of the two middle ones where their number is even. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
