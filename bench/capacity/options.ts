/** What is asked of the exchange, and what its machines are: the command line of the calculation. */
import { parseArgs } from 'node:util';
import { SEQUENCER_DEFAULTS } from '../../engine/host/sequencer-options.js';
import { defaultRules } from '../../engine/model/rules.js';
import { CONNECTIONS_MAX } from '../../http/uws/connection-limits.js';
import type { Measured, MeasuredName } from './measured.js';

const rules = defaultRules('');

/** Options by name: default, and what they are. */
const OPTIONS = {
  orders: [1_000_000, 'orders a second at the peak'],
  accounts: [10_000_000, 'accounts'],
  connected: [0.1, 'share of the accounts that hold a connection at the peak'],
  stream: [1, 'share of these that follow one market over the stream'],
  reads: [1, 'reads of a market over HTTP for each order'],
  stake: [10, 'mean stake, in dollars'],
  average: [0.3, 'load over the day, as a share of the peak'],
  openMinutes: [15, 'how long a bet is open, on average'],
  busy: [0.7, 'share of a thread, a core, a disk or a link that is planned for'],
  cores: [16, 'cores of a machine'],
  memoryGb: [128, 'memory of a machine, in GB'],
  networkGbit: [10, 'link of a machine, in Gbit/s'],
  orderBytes: [500, 'an order on the wire, head included'],
  answerBytes: [800, 'its answer on the wire'],
  retentionDays: [7, 'how long the journal is kept on disk'],
  connectionsMax: [CONNECTIONS_MAX, 'connections of a server (its own bound)'],
  keysMax: [
    rules.idempotencyEntriesMax,
    'Idempotency-Keys that a cell remembers (rule idempotencyEntriesMax)',
  ],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type Asked = Readonly<Record<keyof typeof OPTIONS, number>>;

/** Fixed in the program. */
export const FIXED = {
  batchCommandsMax: SEQUENCER_DEFAULTS.batchCommandsMax,
  keySeconds: rules.idempotencyTtlMs / 1_000,
  historyBets: rules.historyBetsMax,
  markets: rules.markets.length,
  seedDollars: (rules.markets[0]?.house.seedCents ?? 0) / 100,
} as const;

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const USAGE = `npm run capacity -- [options]

${Object.entries(OPTIONS)
  .map(([name, [value, what]]) => `  --${`${kebab(name)} N`.padEnd(20)}  ${what} (default ${value})`)
  .join('\n')}
  --cpu NAME=US,...       CPU time of an order by thread, in place of the measured: gatewayUs, engineUs, journalUs, shadowUs and so on
  --help                  this text
`;

/** A mistake on the command line. */
export class UsageError extends Error {}

export interface Given {
  readonly asked: Asked;
  readonly measured: Measured;
}

/** null for help. Throws a `UsageError`. */
export function readOptions(args: readonly string[], measured: Measured): Given | null {
  const options = Object.fromEntries(
    Object.keys(OPTIONS).map((name) => [kebab(name), { type: 'string' as const }]),
  );
  const { values } = parsed(args, options);
  if (values.help === true) return null;
  const asked = Object.entries(OPTIONS).map(([name, [value]]) => {
    const text: unknown = Reflect.get(values, kebab(name));
    return [name, typeof text === 'string' ? positive(`--${kebab(name)}`, text) : value];
  });
  const cpu = values.cpu === undefined ? {} : cpuOf(values.cpu, measured);
  return { asked: Object.fromEntries(asked) as Asked, measured: { ...measured, ...cpu } };
}

function parsed(args: readonly string[], options: Readonly<Record<string, { type: 'string' }>>) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, cpu: { type: 'string' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value))
    throw new UsageError(`${name}: expected a number above 0, got ${text}`);
  return value;
}

function cpuOf(text: string, measured: Measured): Partial<Record<MeasuredName, number>> {
  const given = text.split(',').map((part) => {
    const [name = '', value = ''] = part.split('=');
    if (!(name in measured) || !name.endsWith('Us')) throw new UsageError(`--cpu: unknown ${name}`);
    return [name, positive(`--cpu ${name}`, value)];
  });
  return Object.fromEntries(given);
}
