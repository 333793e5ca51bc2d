/** Programs that a test needs and a machine may not have. */
import { spawnSync } from 'node:child_process';

/** Whether the machine has the program and, for `mount`, the right to use it. */
export const isAvailable = (program: string): boolean =>
  spawnSync('which', [program]).status === 0 && (program !== 'mount' || process.getuid?.() === 0);
