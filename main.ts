/** The server. The operators' thread loads its code beside the program: loading is most of a start. */
import { startWorker } from './http/gateway/start.js';
import { lowerHelpersWhenWarm } from './persistence/thread/pace.js';
import { letHeapGrowOnceLoaded } from './process/heap.js';

lowerHelpersWhenWarm();
letHeapGrowOnceLoaded();
const operators = startWorker('operator');
const { serve } = await import('./start/server.js');
await serve(operators);
