/** The suite's command line. */
import { tmpdir } from 'node:os';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
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

const DRIVE_SECONDS = 30;
const DEFAULT_MIX = 'orders=10,market=60,markets=20,positions=10';

/** How to read the figures, and to make the keys. */
export const HELP = `
Some sections have seconds of their own (${listOfOwn()}), or rounds (${OWN_ROUNDS.join(', ')}).

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

interface Given
  extends Partial<Pick<SuiteRun, 'out' | 'rounds'> & Pick<DriveRun, 'url' | 'keys' | 'seconds'>>,
    Pick<SuiteRun, 'durability' | 'dir'>,
    Pick<DriveRun, 'rate' | 'connections' | 'mix' | 'stake'> {
  readonly quick?: true;
  readonly only?: readonly SectionName[];
  readonly pair?: string;
}

const OF_SUITE = 'Servers that the suite starts:';
const OF_DRIVE = 'A server that runs already:';

const bench = (): Command =>
  new Command('npm run bench --')
    .description('measures servers that it starts, or with --url drives a server that runs already')
    .option('--out <file>', 'the figures as JSON, with HTML beside it (default: bench-results/<time>.json)')
    .option(
      '--seconds <s>',
      `of each row and round (default: 3, quick 1), or of the load (${DRIVE_SECONDS})`,
      countTo(3_600),
    )
    .optionsGroup(OF_SUITE)
    .option('--quick', `one short round, without ${SLOW_SECTIONS.join(', ')}`)
    .option('--only <a,b>', `the sections to run: ${SECTION_NAMES.join(', ')}`, sectionsOf)
    .option('--rounds <n>', 'rounds of each row (default: 3, quick 1)', countTo(99))
    .addOption(
      new Option('--durability <how>', 'os leaves commits to the operating system: they are not durable')
        .choices(['fsync', 'os'])
        .default('fsync'),
    )
    .option('--dir <dir>', 'where journals are written: name the disk that matters', tmpdir())
    .addOption(
      new Option('--pair <dir>', 'compare this checkout with another built one, in turn').conflicts('only'),
    )
    .optionsGroup(OF_DRIVE)
    .option('--url <url>', 'its address, such as https://host (/v1 is added where no path is given)', urlOf)
    .option('--keys <file>', 'API keys, one secret a line; # begins a comment')
    .option('--rate <r>', 'requests a second at planned times', countTo(200_000), 100)
    .option('--connections <n>', 'connections that share the requests', countTo(10_000), 64)
    .addOption(
      new Option('--mix <kind=share,...>', `what is asked for, of ${KINDS.join(', ')}`)
        .argParser(mixOf)
        .default(mixOf(DEFAULT_MIX), DEFAULT_MIX),
    )
    .option('--stake <usd>', 'stake of each order', countTo(1_000_000), 1)
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();

/** Throws `UsageError`. null for a request for help, which it has answered. */
export function readOptions(args: readonly string[], nowMs: number): BenchRun | null {
  const program = bench();
  try {
    program.parse(args, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return null;
    throw new UsageError(thrown.message.replace('error: ', ''));
  }
  const given = program.opts<Given>();
  const foreignTo = given.url === undefined ? OF_DRIVE : OF_SUITE;
  const foreign = program.options.find(
    (option) =>
      option.helpGroupHeading === foreignTo && program.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (foreign !== undefined)
    throw new UsageError(`${foreign.long}: goes ${given.url === undefined ? 'only' : 'not'} with --url`);
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  const out = given.out ?? `bench-results/${stamp}.json`;
  const output = { out, report: `${out.replace(/\.json$/, '')}.html` };
  return given.url === undefined ? suiteOf(given, output) : driveOf(given.url, given, output);
}

function suiteOf({ quick, only, pair, ...given }: Given, output: Output): SuiteRun {
  const isQuick = quick === true;
  refuseFixed('seconds', given.seconds, only, (name) => name in OWN_SECONDS);
  refuseFixed('rounds', given.rounds, only, (name) => OWN_ROUNDS.includes(name));
  const usual = SECTION_NAMES.filter((name) => !isQuick || !SLOW_SECTIONS.includes(name));
  return {
    kind: 'suite',
    ...output,
    quick: isQuick,
    sections: pair === undefined ? (only ?? usual) : [],
    rounds: given.rounds ?? (isQuick ? 1 : 3),
    seconds: given.seconds ?? (isQuick ? 1 : 3),
    durability: given.durability,
    dir: given.dir,
    pair: pair ?? null,
  };
}

/** A section that was asked for by its name must not ignore an option. */
function refuseFixed(
  option: 'seconds' | 'rounds',
  given: number | undefined,
  only: readonly SectionName[] = [],
  isFixed: (name: SectionName) => boolean,
): void {
  const fixed = only.find(isFixed);
  if (fixed !== undefined && given !== undefined)
    throw new UsageError(`--${option}: goes not with --only ${fixed}, which has its own`);
}

function driveOf(url: string, given: Given, output: Output): DriveRun {
  const { keys, connections, rate, seconds = DRIVE_SECONDS, mix, stake } = given;
  if (keys === undefined) throw new UsageError('--keys: name the file with API keys, one a line');
  return { kind: 'drive', ...output, url, keys, connections, rate, seconds, mix, stake };
}

function urlOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('It must be an address such as https://host or http://127.0.0.1:8080/v1.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('A user and a password cannot be sent: each request has a key instead.');
  return `${url.origin}${url.pathname === '/' ? '/v1' : url.pathname.replace(/\/+$/, '')}`;
}

function mixOf(given: string): Mix {
  const mix: Partial<Record<Kind, number>> = {};
  for (const part of given.split(',')) {
    const [name = '', share = ''] = part.trim().split('=');
    const kind = KINDS.find((known) => known === name);
    if (kind === undefined) throw new InvalidArgumentError(`"${name}" is none of ${KINDS.join(', ')}.`);
    if (!/^\d{1,3}$/.test(share))
      throw new InvalidArgumentError(`"${part}" is not ${name}=SHARE, such as ${name}=10.`);
    if (Number(share) > 0) mix[kind] = Number(share);
  }
  if (Object.keys(mix).length === 0) throw new InvalidArgumentError('It asks for nothing.');
  return mix;
}

function sectionsOf(given: string): SectionName[] {
  return given.split(',').map((name) => {
    const section = SECTION_NAMES.find((known) => known === name.trim());
    if (section === undefined)
      throw new InvalidArgumentError(`"${name}" is none of ${SECTION_NAMES.join(', ')}.`);
    return section;
  });
}

function countTo(max: number): (given: string) => number {
  return (given) => {
    const count = /^[1-9]\d*$/.test(given) ? Number(given) : 0;
    if (count < 1 || count > max)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
    return count;
  };
}

function listOfOwn(): string {
  return Object.entries(OWN_SECONDS)
    .map(([name, seconds]) => `${name} ${seconds} s`)
    .join(', ');
}
