/** A machine's time service that says what a test wants, in place of the one of the machine that runs the test. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function pathOfTimeService(folder: string, isSynchronised: 'yes' | 'no'): string {
  const programs = join(folder, `programs-${isSynchronised}`);
  mkdirSync(programs);
  const asked = 'show --property=NTPSynchronized --value';
  const lines = { chronyc: 'exit 1', timedatectl: `[ "$*" = "${asked}" ] && echo ${isSynchronised}` };
  for (const [name, line] of Object.entries(lines)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return `${programs}:${process.env['PATH'] ?? ''}`;
}
