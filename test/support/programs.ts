import { spawnSync } from 'node:child_process';

/** For `mount` also the right to use it. */
export const isAvailable = (program: string): boolean =>
  spawnSync('which', [program]).status === 0 && (program !== 'mount' || process.getuid?.() === 0);
