/** How far the heap of a server may grow before V8 collects all of it. */
import { setFlagsFromString } from 'node:v8';

/**
 * To eight times what the last full collection has left. By V8's own measure the small heap of a server under load is
 * collected every other second, in pauses of 10 ms.
 *
 * Not before the code is loaded, nor on the command line: Node has compiled its own modules for V8's default flags, and with
 * any other one every thread compiles them again, which takes a start a tenth longer.
 */
export const letHeapGrow = (): void => setFlagsFromString('--heap-growing-percent=700');
