/**
 * The measured figures that the calculation begins with. docs/performance.md has them, in one table between two marks, with
 * where each was measured; nothing repeats them.
 */
import { readFileSync } from 'node:fs';
import { assert, must } from '../../engine/base/assert.js';

/** CPU time of an order, by thread. */
export const COST_NAMES = [
  'gatewayUs',
  'engineUs',
  'settleUs',
  'journalUs',
  'shadowUs',
  'rootsUs',
  'otherUs',
  'replicationUs',
  'natsUs',
] as const;
const NAMES = [
  ...COST_NAMES,
  'marketReadUs',
  'streamMessageUs',
  'accountBytes',
  'betBytes',
  'keyEntryBytes',
  'journalBytes',
  'archiveBytes',
  'publishMs',
  'marketsStreamBytesPerSecond',
  'streamMessagesPerSecond',
] as const;
export type MeasuredName = (typeof NAMES)[number];
export type Measured = Readonly<Record<MeasuredName, number>>;

const BEGIN = '<!-- read by npm run capacity -->';
const END = '<!-- end of what is read -->';
const ROW = /^\| `(\w+)` \| ([\d,.]+) \|/;

export function measuredIn(page: string): Measured {
  const table = must(page.split(BEGIN)[1]?.split(END)[0], 'the table of docs/performance.md');
  const found = new Map<string, number>();
  for (const line of table.split('\n')) {
    const [, name, value] = ROW.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, Number(value.replaceAll(',', '')));
  }
  assert(found.size === NAMES.length, 'the table has the figures of the calculation, and no others');
  const entries = NAMES.map((name) => [name, must(found.get(name), `${name} in docs/performance.md`)]);
  return Object.fromEntries(entries) as Measured;
}

export const measured = (): Measured =>
  measuredIn(readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8'));
