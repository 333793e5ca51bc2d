/** Files that are the same for everyone, held in memory: no request waits for a disk. */
import { createHash } from 'node:crypto';
import type { HeaderList } from '../../engine/model/ports.js';

export interface StaticPage {
  /** Without those that stand on every response. */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  readonly etag: string;
  /** Those of a 304: what a cache goes on with. */
  readonly notModifiedHeaders: HeaderList;
}

/** By path. */
export type StaticPages = ReadonlyMap<string, StaticPage>;

/** Asked for again each time, and told 304 where nothing has changed. */
export const ASK_AGAIN = 'no-cache';
/** An hour: long enough for a visit, short enough for the next version. */
export const KEEP_AN_HOUR = 'public, max-age=3600';

export function staticPage(
  contentType: string,
  caching: string,
  body: string | Uint8Array,
  extraHeaders: HeaderList = [],
): StaticPage {
  const bytes = Buffer.from(body);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const shared = ['ETag', etag, 'Cache-Control', caching, ...extraHeaders];
  return {
    headers: ['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff', ...shared],
    body: bytes,
    etag,
    notModifiedHeaders: shared,
  };
}

/** Whether `If-None-Match` names the page as it is; '' where the header is absent. Weak tags are as good. */
export function isKnown(page: StaticPage, ifNoneMatch: string): boolean {
  if (ifNoneMatch === '') return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(page.etag);
}
