/** How far the heap of a server may grow before V8 collects all of it. */
import { setFlagsFromString } from 'node:v8';

/** A start has loaded all its code by then. */
const LOADED_MS = 15_000;

/**
 * To eight times what the last full collection has left. By V8's own measure the small heap of a server under load is
 * collected every other second, in pauses of 10 ms.
 */
export const letHeapGrow = (): void => setFlagsFromString('--heap-growing-percent=700');

/**
 * Node has compiled its own modules beforehand, for V8's default flags: with any other flag on the command line, every thread
 * compiles them again, and a start takes a tenth longer.
 */
export function letHeapGrowOnceLoaded(): void {
  setTimeout(letHeapGrow, LOADED_MS).unref();
}
