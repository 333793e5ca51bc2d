/** Apart from `thread.ts`, which loads the code of a gateway: `main.ts` starts a thread before it loads anything else. */
import { Worker } from 'node:worker_threads';

/** Tools that list threads find the role in their arguments. */
export const startWorker = (role: 'public' | 'operator'): Worker =>
  new Worker(new URL('./worker.js', import.meta.url), { argv: [role] });
