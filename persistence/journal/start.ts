/** The journal's thread as it starts: it loads its code, and then waits for its first message, the options. */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../thread/start.js';
import type { JournalMemory } from './messages.js';

export interface StartedJournal {
  readonly worker: Worker;
  readonly memory: JournalMemory;
}

export function startJournalThread(): StartedJournal {
  const memory = {
    sent: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    activeMs: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
  };
  const file = new URL('./worker.js', import.meta.url);
  return { worker: startThread({ file, name: 'journal', data: memory }), memory };
}
