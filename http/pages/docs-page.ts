/**
 * `/docs`: the OpenAPI document as a page for people, with Swagger UI from the installed package. Everything
 * comes from this server, and the content security policy says so to the browser: no inline script, no other
 * origin. The files are read once, at the start: no request ever waits for the disk.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { HeaderList } from '../../engine/model/ports.js';

/** A file that is the same for everyone. */
export interface StaticPage {
  /** Without those that stand on every response; with its Content-Type. */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** By path. */
export type StaticPages = ReadonlyMap<string, StaticPage>;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An hour: long enough for a visit, short enough for the next version. */
const ASSET_CACHING = 'public, max-age=3600';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>tote API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="page"><noscript>The document itself is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({ dom_id: '#page', url: '/v1/openapi.json', deepLinking: true });
`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const PACKAGE_FILES: readonly (readonly [name: string, contentType: string])[] = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', JAVASCRIPT],
  ['favicon-32x32.png', 'image/png'],
];

function page(contentType: string, caching: string, body: Uint8Array): StaticPage {
  const headers = [
    'Content-Type',
    contentType,
    'Cache-Control',
    caching,
    'X-Content-Type-Options',
    'nosniff',
  ];
  return { headers, body };
}

/** Reads the page and what it needs; throws where the package is not installed. */
export function loadDocsPages(): StaticPages {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const html = page('text/html; charset=utf-8', 'no-cache', Buffer.from(PAGE));
  const guarded: StaticPage = {
    ...html,
    headers: [
      ...html.headers,
      'Content-Security-Policy',
      CONTENT_SECURITY_POLICY,
      'Referrer-Policy',
      'no-referrer',
    ],
  };
  return new Map([
    ['/docs', guarded],
    ['/docs/', guarded],
    ['/docs/start.js', page(JAVASCRIPT, ASSET_CACHING, Buffer.from(START_SCRIPT))],
    ...PACKAGE_FILES.map(([name, contentType]): [string, StaticPage] => [
      `/docs/${name}`,
      page(contentType, ASSET_CACHING, readFileSync(join(folder, name))),
    ]),
  ]);
}
