/**
 * `/docs`: the OpenAPI document as a page, with Swagger UI from the installed package and the files it needs.
 * Everything comes from this server, and the content security policy enforces it: no inline script, no other origin.
 * The files are read once, at the start.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { HeaderList } from '../../engine/model/ports.js';
import type { TaggedBody } from '../kit/tagged-body.js';
import { STYLE } from './docs-style.js';
import { CACHE_AN_HOUR, REVALIDATE, type StaticPages, staticPage } from './static-pages.js';

/** The sources of `/docs` and of the documents below it. */
export interface DocsFiles {
  readonly pages: StaticPages;
  /** The guide's source, in Markdown. */
  readonly guide: string;
}

export const HTML = 'text/html; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

/** Headers for a page that may load only what is `allowed`, and only from this server. */
export const guardedBy = (...allowed: readonly string[]): HeaderList => [
  'Content-Security-Policy',
  ["default-src 'none'", ...allowed, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
    '; ',
  ),
  'Referrer-Policy',
  'no-referrer',
];

export const htmlHead = (title: string, stylesheets: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
${stylesheets.map((path) => `    <link rel="stylesheet" href="${path}">`).join('\n')}
  </head>`;

const PAGE = `${htmlHead('tote API', ['/docs/swagger-ui.css', '/docs/style.css'])}
  <body>
    <nav><a href="/docs/guide">Guide</a> <a href="/v1/openapi.json">OpenAPI document</a></nav>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({ dom_id: '#page', url: '/v1/openapi.json', deepLinking: true });
`;

const PACKAGE_FILES: readonly (readonly [name: string, contentType: string])[] = [
  ['swagger-ui.css', CSS],
  ['swagger-ui-bundle.js', JAVASCRIPT],
  ['favicon-32x32.png', 'image/png'],
];

/** Reads the files of the pages; throws if the package is not installed. */
export function loadDocs(): DocsFiles {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const page = staticPage(
    HTML,
    REVALIDATE,
    PAGE,
    guardedBy("script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"),
  );
  const pages = new Map<string, TaggedBody>([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/start.js', staticPage(JAVASCRIPT, CACHE_AN_HOUR, START_SCRIPT)],
    ['/docs/style.css', staticPage(CSS, CACHE_AN_HOUR, STYLE)],
    ...PACKAGE_FILES.map(([name, contentType]): [string, TaggedBody] => [
      `/docs/${name}`,
      staticPage(contentType, CACHE_AN_HOUR, readFileSync(join(folder, name))),
    ]),
  ]);
  // Relative to this compiled file, in `dist/http/pages/`.
  return { pages, guide: readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8') };
}
