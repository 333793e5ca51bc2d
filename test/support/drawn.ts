/** A few of many, others with each commit, so that in time all have had their turn. */
import { spawnSync } from 'node:child_process';
import { Rng } from './reference/random/rng.js';

/** Always the same without Git, as in an unpacked archive. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 16) || 1;
}

export function drawnByCommit<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  const rng = new Rng(seedOfCommit());
  while (left.length > count) left.splice(rng.integer(0, left.length - 1), 1);
  return left;
}
