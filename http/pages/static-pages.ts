/** Files that are the same for everyone, held in memory so that no request waits for a disk. */
import { createHash } from 'node:crypto';
import type { HeaderList } from '../../engine/model/ports.js';

export interface StaticPage {
  /** Without the headers of every response. */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  readonly etag: string;
  /** Headers of a 304, with which a cache keeps its copy. */
  readonly notModifiedHeaders: HeaderList;
}

/** By path. */
export type StaticPages = ReadonlyMap<string, StaticPage>;

/** Caches revalidate each time, and get 304 if nothing has changed. */
export const REVALIDATE = 'no-cache';
/** An hour: long enough for a visit, short enough for a new version. */
export const CACHE_AN_HOUR = 'public, max-age=3600';

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

/** Whether `If-None-Match` ('' if absent) names the page's present ETag. Weak tags match, too. */
export function isKnown(page: StaticPage, ifNoneMatch: string): boolean {
  if (ifNoneMatch === '') return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(page.etag);
}
