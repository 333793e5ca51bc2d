/** Files that are the same for everyone, held in memory so that no request waits for a disk. */
import { constants, gzip } from 'node:zlib';
import type { HeaderList } from '../../engine/model/ports.js';
import { headerLines } from '../kit/header-lines.js';
import { type Compress, TaggedBody } from '../kit/tagged-body.js';

/** By path. */
export type StaticPages = ReadonlyMap<string, TaggedBody>;

/** Caches revalidate each time, and get 304 if nothing has changed. */
export const REVALIDATE = 'no-cache';
/** Long enough for a visit, short enough for a new version. */
export const CACHE_AN_HOUR = 'public, max-age=3600';

/** Beside the thread, which would be held up for a tenth of a second: meanwhile clients get the page as it is. */
const compress: Compress = (bytes, done) =>
  gzip(bytes, { level: constants.Z_BEST_COMPRESSION }, (error, compressed) => {
    if (error === null) done(compressed);
  });

export function staticPage(
  contentType: string,
  caching: string,
  body: string | Uint8Array,
  extraHeaders: HeaderList = [],
): TaggedBody {
  const content = `\r\nContent-Type: ${contentType}\r\nX-Content-Type-Options: nosniff`;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const shared = headerLines(['Cache-Control', caching, ...extraHeaders]);
  return new TaggedBody(bytes, { content, caching: shared }, compress);
}
