/** The suite's command line. */

import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';

export const SECTION_NAMES = [
  'start',
  'orders',
  'threads',
  'markets',
  'workloads',
  'minute',
  'herd',
  'memory',
  'stream',
  'replication',
  'replay',
  'snapshots',
  'engine',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];
/** Not in a quick run unless named. */
const SLOW_SECTIONS: readonly SectionName[] = ['minute', 'memory', 'stream', 'replication', 'snapshots'];

export interface BenchOptions {
  readonly quick: boolean;
  readonly sections: readonly SectionName[];
  readonly rounds: number;
  readonly seconds: number;
  readonly durability: 'fsync' | 'os';
  /** Where journals are written during the run. */
  readonly dir: string;
  /** The JSON file. */
  readonly out: string;
  /** The HTML file. */
  readonly report: string;
  /** Another built checkout to compare this one with, instead of running the sections; null for none. */
  readonly pair: string | null;
}

export const USAGE = `npm run bench -- [options]
npm run bench -- compare A.json B.json     two runs, figure by figure

  --quick                 fewer and shorter rounds, without ${SLOW_SECTIONS.join(', ')}, under 3 minutes
  --only a,b              sections to run: ${SECTION_NAMES.join(', ')}
  --rounds N              rounds of each row, 1 to 99 (default 3, quick 1)
  --seconds S             measured seconds of each row and round, 1 to 600 (default 3, quick 1)
  --durability fsync|os   os: commits are left to the operating system, and are no durable ones (default fsync)
  --dir DIR               where journals are written: name the disk that matters (default ${tmpdir()})
  --out FILE              the figures as JSON (default bench-results/<time>.json)
  --report FILE           the same as HTML with plots (default: beside the JSON file, .html)
  --pair DIR              instead of the sections: this checkout against another built one, in turn, round after round
  --help                  this text
`;

/** A mistake on the command line; its message is for people. */
export class UsageError extends Error {}

/** Throws `UsageError`. null: help was asked for. */
export function readOptions(args: readonly string[], nowMs: number): BenchOptions | null {
  const values = parse(args);
  if (values.help === true) return null;
  const quick = values.quick === true;
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  if (values.pair !== undefined && values.only !== undefined) {
    throw new UsageError('--pair: measures no sections, so it does not go with --only');
  }
  const out = values.out ?? `bench-results/${stamp}.json`;
  return {
    quick,
    sections: readSections(values.only, quick),
    rounds: readCount('rounds', values.rounds, 99, quick ? 1 : 3),
    seconds: readCount('seconds', values.seconds, 600, quick ? 1 : 3),
    durability: readDurability(values.durability ?? 'fsync'),
    dir: values.dir ?? tmpdir(),
    out,
    report: values.report ?? `${out.replace(/\.json$/, '')}.html`,
    pair: values.pair ?? null,
  };
}

interface Values {
  readonly help?: boolean;
  readonly quick?: boolean;
  readonly only?: string;
  readonly rounds?: string;
  readonly seconds?: string;
  readonly durability?: string;
  readonly dir?: string;
  readonly out?: string;
  readonly report?: string;
  readonly pair?: string;
}

function parse(args: readonly string[]): Values {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    help: flag,
    quick: flag,
    only: text,
    rounds: text,
    seconds: text,
    durability: text,
    dir: text,
    out: text,
    report: text,
    pair: text,
  };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readSections(only: string | undefined, quick: boolean): SectionName[] {
  if (only === undefined) return SECTION_NAMES.filter((name) => !quick || !SLOW_SECTIONS.includes(name));
  return only.split(',').map((name) => {
    const section = SECTION_NAMES.find((known) => known === name.trim());
    if (section === undefined)
      throw new UsageError(`--only: "${name}" is none of ${SECTION_NAMES.join(', ')}`);
    return section;
  });
}

function readCount(name: string, text: string | undefined, max: number, fallback: number): number {
  if (text === undefined) return fallback;
  const count = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > max)
    throw new UsageError(`--${name}: "${text}" is not a whole number from 1 to ${max}`);
  return count;
}

function readDurability(text: string): 'fsync' | 'os' {
  if (text === 'fsync' || text === 'os') return text;
  throw new UsageError(`--durability: "${text}" is neither fsync nor os`);
}
