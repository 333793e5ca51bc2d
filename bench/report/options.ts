/** The suite's command line. */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { KINDS, type Kind, type Mix } from '../client/kinds.js';

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
/** Too long for a quick run, unless named. */
export const SLOW_SECTIONS: readonly SectionName[] = [
  'markets',
  'minute',
  'herd',
  'memory',
  'stream',
  'replication',
  'snapshots',
];

/** Measured seconds of sections in whose window something happens that needs so many. */
export const OWN_SECONDS = { minute: 30, herd: 15, snapshots: 15 } as const;
/** Sections that measure as often as their subject needs. */
const OWN_ROUNDS: readonly SectionName[] = ['start', 'minute', 'herd', 'memory'];

export interface Output {
  readonly out: string;
  readonly report: string;
}

export interface SuiteRun extends Output {
  readonly kind: 'suite';
  readonly quick: boolean;
  readonly sections: readonly SectionName[];
  readonly rounds: number;
  readonly seconds: number;
  readonly durability: 'fsync' | 'os';
  readonly dir: string;
  /** Another built checkout to compare this one with, instead of running the sections; null for none. */
  readonly pair: string | null;
}

export interface DriveRun extends Output {
  readonly kind: 'drive';
  /** With the base path, without a slash at its end. */
  readonly url: string;
  readonly keys: string;
  readonly connections: number;
  readonly rate: number;
  readonly seconds: number;
  readonly mix: Mix;
  readonly stake: number;
}

export type BenchRun = SuiteRun | DriveRun;

const DEFAULT_MIX = 'orders=10,market=60,markets=20,positions=10';

export const USAGE = `npm run bench -- [options]                   measure servers that the suite starts
npm run bench -- --url URL --keys FILE [options]     drive a server that runs already

Both:
  --out FILE              write the figures as JSON here (default bench-results/<time>.json)
  --report FILE           write the same as HTML with plots here (default: beside the JSON file, .html)
  --help                  print this text

Servers that the suite starts:
  --quick                 a minute and a half, one short round: leaves out ${SLOW_SECTIONS.join(', ')}
  --only a,b              the sections to run: ${SECTION_NAMES.join(', ')}
  --rounds N              rounds of each row, 1 to 99 (default 3, quick 1); ${OWN_ROUNDS.join(', ')}
                          have their own number, and snapshots has two at most
  --seconds S             measured seconds of each row and round, 1 to 600 (default 3, quick 1), but
                          ${listOfOwn()} always
  --durability fsync|os   os leaves commits to the operating system: they are not durable (default fsync)
  --dir DIR               where journals are written: name the disk that matters (default ${tmpdir()})
  --pair DIR              compare this checkout with another built one, in turn, instead of running sections

A server that runs already:
  --url URL               its address, such as https://host or http://127.0.0.1:8080 (/v1 is added where no path is given)
  --keys FILE             API keys, one secret a line; empty lines and lines that begin with # do not count
  --rate R                requests a second at planned times, 1 to 200000 (default 100)
  --seconds S             how long, 1 to 3600 (default 30)
  --connections N         connections that share the requests, 1 to 10000 (default 64)
  --mix KIND=SHARE,...    what is asked for, of ${KINDS.join(', ')}
                          (default ${DEFAULT_MIX})
  --stake USD             stake of each order (default 1)

Latencies count from the planned times. Afterwards each acknowledged order must be in the lists of its account, and every
balance must add up: the audit reads the public API with the same keys. Orders are real bets: use accounts made for it.
The keys need the scopes markets:read, positions:read and, for orders, orders:write. To make 100 accounts with a key each
on a server that you operate (TOKEN is its operator token, 8081 its operator port):

  for i in $(seq 100); do
    id=$(curl -sS -H "Authorization: Bearer $TOKEN" localhost:8081/operator/v1/accounts \\
      --json '{"tier":"VIP","balance":1000000}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
    curl -sS -w '\\n' -H "Authorization: Bearer $TOKEN" localhost:8081/operator/v1/accounts/$id/keys \\
      --json '{"scopes":["markets:read","positions:read","orders:write"]}' | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/'
  done > keys.txt

A server's rate limits (120 reads and 30 writes a minute for a key, 300 requests for an address) refuse most loads: start it
with TOTE_RATE_LIMITS=off, or with limits of your own. For a certificate that signs itself set NODE_EXTRA_CA_CERTS=cert.pem.
`;

/** A mistake on the command line, or a load that the server would refuse; its message is for people. */
export class UsageError extends Error {}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const SUITE_ONLY = {
  quick: flag,
  only: text,
  rounds: text,
  durability: text,
  dir: text,
  pair: text,
} as const;
const DRIVE_ONLY = { keys: text, rate: text, connections: text, mix: text, stake: text } as const;
const OPTIONS = {
  help: flag,
  url: text,
  seconds: text,
  out: text,
  report: text,
  ...SUITE_ONLY,
  ...DRIVE_ONLY,
} as const;
type Values = ReturnType<typeof parse>;

/** Throws `UsageError`. null for a request for help. */
export function readOptions(args: readonly string[], nowMs: number): BenchRun | null {
  const values = parse(args);
  if (values.help === true) return null;
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  const out = values.out ?? `bench-results/${stamp}.json`;
  const output = { out, report: values.report ?? `${out.replace(/\.json$/, '')}.html` };
  if (output.report === out) throw new UsageError(`--report: "${out}" is the file of --out, too`);
  const { url } = values;
  const foreign = Object.keys(url === undefined ? DRIVE_ONLY : SUITE_ONLY).find((name) => name in values);
  if (foreign !== undefined)
    throw new UsageError(`--${foreign}: goes ${url === undefined ? 'only' : 'not'} with --url`);
  return url === undefined ? readSuite(values, output) : readDrive(url, values, output);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readSuite(values: Values, output: Output): SuiteRun {
  const quick = values.quick === true;
  if (values.pair !== undefined && values.only !== undefined) {
    throw new UsageError('--pair: measures no sections, so it does not go with --only');
  }
  const sections = values.pair === undefined ? readSections(values.only, quick) : [];
  refuseFixed('seconds', values, sections, (name) => name in OWN_SECONDS);
  refuseFixed('rounds', values, sections, (name) => OWN_ROUNDS.includes(name));
  return {
    kind: 'suite',
    ...output,
    quick,
    sections,
    rounds: readCount('rounds', values.rounds, 99, quick ? 1 : 3),
    seconds: readCount('seconds', values.seconds, 600, quick ? 1 : 3),
    durability: readDurability(values.durability ?? 'fsync'),
    dir: values.dir ?? tmpdir(),
    pair: values.pair ?? null,
  };
}

/** A section that was asked for by its name must not ignore an option. */
function refuseFixed(
  option: 'seconds' | 'rounds',
  values: Values,
  sections: readonly SectionName[],
  isFixed: (name: SectionName) => boolean,
): void {
  const fixed = values.only === undefined ? undefined : sections.find(isFixed);
  if (fixed !== undefined && values[option] !== undefined)
    throw new UsageError(`--${option}: goes not with --only ${fixed}, which has its own`);
}

function readDrive(url: string, values: Values, output: Output): DriveRun {
  if (values.keys === undefined) throw new UsageError('--keys: name the file with API keys, one a line');
  return {
    kind: 'drive',
    ...output,
    url: readUrl(url),
    keys: values.keys,
    connections: readCount('connections', values.connections, 10_000, 64),
    rate: readCount('rate', values.rate, 200_000, 100),
    seconds: readCount('seconds', values.seconds, 3_600, 30),
    mix: readMix(values.mix ?? DEFAULT_MIX),
    stake: readCount('stake', values.stake, 1_000_000, 1),
  };
}

function readUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError(`--url: "${given}" is no address such as https://host or http://127.0.0.1:8080/v1`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      '--url: a user and a password cannot be sent: each request has a key in their place',
    );
  return `${url.origin}${url.pathname === '/' ? '/v1' : url.pathname.replace(/\/+$/, '')}`;
}

function readMix(given: string): Mix {
  const mix: Partial<Record<Kind, number>> = {};
  for (const part of given.split(',')) {
    const [name = '', share = ''] = part.trim().split('=');
    const kind = KINDS.find((known) => known === name);
    if (kind === undefined) throw new UsageError(`--mix: "${name}" is none of ${KINDS.join(', ')}`);
    if (!/^\d{1,3}$/.test(share))
      throw new UsageError(`--mix: "${part}" is not ${name}=SHARE, such as ${name}=10`);
    if (Number(share) > 0) mix[kind] = Number(share);
  }
  if (Object.keys(mix).length === 0) throw new UsageError(`--mix: "${given}" asks for nothing`);
  return mix;
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

function readCount(name: string, given: string | undefined, max: number, fallback: number): number {
  if (given === undefined) return fallback;
  const count = /^[1-9]\d*$/.test(given) ? Number(given) : 0;
  if (count < 1 || count > max)
    throw new UsageError(`--${name}: "${given}" is not a whole number from 1 to ${max}`);
  return count;
}

function listOfOwn(): string {
  return Object.entries(OWN_SECONDS)
    .map(([name, seconds]) => `${seconds} in ${name}`)
    .join(', ');
}

function readDurability(given: string): 'fsync' | 'os' {
  if (given === 'fsync' || given === 'os') return given;
  throw new UsageError(`--durability: "${given}" is neither fsync nor os`);
}
