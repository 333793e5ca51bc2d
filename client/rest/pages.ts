/** Lists that come in pages, as one sequence. */

export interface PageQuery {
  readonly cursor?: string;
}

export interface Page<Element> {
  readonly data: readonly Element[];
  /** Give it as `cursor`; null on the last page. */
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
