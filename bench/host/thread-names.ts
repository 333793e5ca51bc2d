/**
 * Preloaded into every Node server of a run (`node --import`), which loads it into every thread: each worker tells the kernel
 * its name, after the folder of its script, as in `top -H`; the operators' gateway after its role. `usage.ts` finds them by it.
 */
import { writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  const name = process.argv[2] === 'operator' ? 'operator' : basename(dirname(process.argv[1] ?? ''));
  try {
    writeFileSync('/proc/thread-self/comm', name);
  } catch {
    // Not Linux: there are no figures by thread.
  }
}
