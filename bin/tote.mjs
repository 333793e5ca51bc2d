#!/usr/bin/env node
// `npx tote`: builds what is not built, as `npm start` does, and runs the operators' command line. The build
// speaks on stderr: stdout is for results.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isStale } from '../build.mjs';

const STDERR = 2;
const CANNOT_RUN = 3;

if (isStale(['test', 'bench'])) {
  const build = fileURLToPath(new URL('../build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', STDERR, STDERR] });
  if (status !== 0) process.exit(CANNOT_RUN);
}
await import('../dist/persistence/cli/main.js');
