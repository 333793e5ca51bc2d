/** What stands of a window in its record, a cache line: where its words and its two doubles are. */

/** Doubles. Time of the newest run and of the oldest; -Infinity and Infinity where there is none. */
export const NEWEST_MS = 0;
export const OLDEST_MS = 1;
/** Words, behind the doubles. Requests in the window as of the last `expire`, and those of the newest run. */
export const TOTAL = 4;
export const NEWEST_COUNT = 5;
/** The older runs: the first and the last block of their chain, 0 for none, where in the first they begin and in the last end. */
export const HEAD_BLOCK = 6;
export const HEAD_RUN = 7;
export const TAIL_BLOCK = 8;
export const TAIL_END = 9;
/** Neighbours in the order of the last count; in a closed record the next closed one. */
export const OLDER = 10;
export const NEWER = 11;
/** Whose window it is: the three words of an address, or the place of a key or account in its table. */
export const OWNER = 12;
