/** Lists that come in pages, as one sequence. */

/** Which page: the first, or the one that the page before has named. */
export interface PageQuery {
  readonly cursor?: string;
}

/** A page of a list. */
export interface Page<Element> {
  readonly data: readonly Element[];
  /** For `cursor`: the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/**
 * Every element of a list, asking for the next page when the one before is used up:
 * `eachOf((page) => tote.getLedger({ limit: 200, ...page }))`.
 */
export async function* eachOf<Element>(
  ask: (page: PageQuery) => Promise<Page<Element>>,
): AsyncGenerator<Element> {
  let page: PageQuery = {};
  for (;;) {
    const { data, nextCursor } = await ask(page);
    yield* data;
    if (nextCursor === null) return;
    page = { cursor: nextCursor };
  }
}
