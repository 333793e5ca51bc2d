/** `tote doctor`: what a machine, its disk and its clock mean for a server, before the first start or beside a running one. */

import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import type { Output } from '../frame/output.js';
import { type Check, checksOf } from './checks.js';
import { machineOf } from './facts.js';

export interface DoctorJson {
  /** Nothing is bad. */
  readonly isGood: boolean;
  readonly checks: readonly Check[];
}

const MARKS = { good: 'good', note: 'note', bad: 'BAD ' } as const;

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'check this machine: Node, disk, clock, limits, and what they mean',
  details:
    'DATA_DIR need not exist yet: then the folder above it is looked at. To measure how long a sync takes, 200 pages of 4 KiB are written to ' +
    'a file there, which is removed again; beside a busy server that disturbs it for a moment. Run it as the user of the server, ' +
    'in its container if it has one. Ends with 1 if something is bad.',
  examples: [
    ['doctor', 'the machine, and the disk of ./data'],
    ['doctor /var/lib/tote --json', 'for a script'],
  ],
  worksWithoutJournal: true,
  run: async ({ dir, out }) => {
    const checks = checksOf(await machineOf(dir.root));
    const isGood = checks.every(({ verdict }) => verdict !== 'bad');
    if (out.isJson) out.document({ isGood, checks } satisfies DoctorJson);
    else tell(out, checks);
    return isGood ? EXIT.done : EXIT.faulty;
  },
});

function tell(out: Output, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, value, verdict, meaning, todo } of checks) {
    out.line(`${MARKS[verdict]}  ${name.padEnd(width)}  ${value}`);
    const indent = ' '.repeat(MARKS.good.length + width + 4);
    out.line(`${indent}${meaning}`);
    if (todo !== null) out.line(`${indent}-> ${todo}`);
  }
}
