/** Merges several streams of what happened, each of them in order. */

/** At which event of which command it happened. */
export interface Placed {
  readonly seq: number;
  readonly item: number;
}

/** What all streams have, in order. Closes all streams at the end. */
export function* merged<T extends Placed>(
  streams: readonly Iterator<T, void, undefined>[],
): Generator<T, void, undefined> {
  try {
    const heads = streams.map((stream) => nextOf(stream));
    for (;;) {
      let first = -1;
      for (let index = 0; index < heads.length; index++) {
        const head = heads[index] ?? null;
        const best = heads[first] ?? null;
        if (head !== null && (best === null || isBefore(head, best))) first = index;
      }
      const found = heads[first] ?? null;
      const stream = streams[first];
      if (found === null || stream === undefined) return;
      yield found;
      heads[first] = nextOf(stream);
    }
  } finally {
    for (const stream of streams) stream.return?.();
  }
}

function nextOf<T>(stream: Iterator<T, void, undefined>): T | null {
  const next = stream.next();
  return next.done === true ? null : next.value;
}

const isBefore = (one: Placed, other: Placed): boolean =>
  one.seq < other.seq || (one.seq === other.seq && one.item < other.item);
