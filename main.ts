/** The server. The operators' thread loads its code beside the program: loading is most of a start. */
import { startWorker } from './http/gateway/start.js';
import { lowerHelpersWhenWarm, WARM_MS } from './persistence/thread/pace.js';
import { letHeapGrow } from './process/heap.js';

lowerHelpersWhenWarm();
setTimeout(letHeapGrow, WARM_MS).unref();
const operators = startWorker('operator');
const { serve } = await import('./start/server.js');
await serve(operators);
