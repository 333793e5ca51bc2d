/**
 * `/docs`: the OpenAPI document as a page, with Swagger UI from the installed package and the files it needs.
 * Everything comes from this server, and the content security policy enforces it: no inline script, no other origin.
 * The files are read once, at the start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { HeaderList } from '../../engine/model/ports.js';
import type { TaggedBody } from '../kit/tagged-body.js';
import { TAGS } from '../openapi/document.js';
import { STYLE } from './docs-style.js';
import { CACHE_AN_HOUR, REVALIDATE, type StaticPages, staticPage } from './static-pages.js';

/** The guide's pages in Markdown by name, in the order of the navigation. */
export type Guide = ReadonlyMap<string, string>;

/** The sources of `/docs` and of the documents below it. */
export interface DocsFiles {
  readonly pages: StaticPages;
  readonly guide: Guide;
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

/** A page of Swagger UI. */
export interface ApiPage {
  readonly title: string;
  /** Where the OpenAPI document is. */
  readonly documentPath: string;
  /** HTML of the links to other pages. */
  readonly navigation: string;
  /** Of the operations in it, in its order. */
  readonly tags: readonly string[];
}

export interface NavigationLink {
  readonly href: string;
  readonly html: string;
  /** A section of the page before it. */
  readonly isInner: boolean;
}

/** A list beside the page or, on a phone, above it. */
export const sideNavigation = (links: string, parts: readonly NavigationLink[]): string => `    <nav>
      <p>${links}</p>
      <ul>
${parts.map(({ href, html, isInner }) => `        <li${isInner ? ' class="inner"' : ''}><a href="${href}">${html}</a></li>`).join('\n')}
      </ul>
    </nav>`;

const htmlOf = ({
  title,
  navigation,
  tags,
}: ApiPage): string => `${htmlHead(title, ['/docs/swagger-ui.css', '/docs/style.css'])}
  <body>
${sideNavigation(
  navigation,
  tags.map((tag) => ({ href: `#operations-tag-${tag}`, html: tag, isInner: false })),
)}
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const startScript = ({ documentPath }: ApiPage): string =>
  `const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();
SwaggerUIBundle({ dom_id: '#page', url: '${documentPath}', deepLinking: true });
`;

const PUBLIC_PAGE: ApiPage = {
  title: 'tote API',
  documentPath: '/v1/openapi.json',
  navigation: '<a href="/docs/quickstart">Guide</a> <a href="/v1/openapi.json">OpenAPI document</a>',
  tags: TAGS.map(({ name }) => name),
};

const PACKAGE_FILES: readonly (readonly [name: string, contentType: string])[] = [
  ['swagger-ui.css', CSS],
  ['swagger-ui-bundle.js', JAVASCRIPT],
  ['favicon-32x32.png', 'image/png'],
];

/** `/docs` and the files that it needs; throws if the package is not installed. */
export function apiPages(api: ApiPage): StaticPages {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const page = staticPage(
    HTML,
    REVALIDATE,
    htmlOf(api),
    guardedBy("script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"),
  );
  return new Map<string, TaggedBody>([
    ['/docs', page],
    ['/docs/', page],
    ['/docs/start.js', staticPage(JAVASCRIPT, CACHE_AN_HOUR, startScript(api))],
    ['/docs/style.css', staticPage(CSS, CACHE_AN_HOUR, STYLE)],
    ...PACKAGE_FILES.map(([name, contentType]): [string, TaggedBody] => [
      `/docs/${name}`,
      staticPage(contentType, CACHE_AN_HOUR, readFileSync(join(folder, name))),
    ]),
  ]);
}

/** Relative to this compiled file, in `dist/http/pages/`. */
const GUIDE = new URL('../../../docs/bots/', import.meta.url);
const GUIDE_PAGES = [
  'quickstart',
  'concepts',
  'reliable-orders',
  'api',
  'stream',
  'errors',
  'proofs',
  'testing',
];

/** Reads the files of the public pages. */
export function loadDocs(): DocsFiles {
  const read = (name: string): Buffer => readFileSync(new URL(name, GUIDE));
  const pictures = readdirSync(GUIDE).filter((name) => name.endsWith('.svg'));
  return {
    pages: new Map([
      ...apiPages(PUBLIC_PAGE),
      ...pictures.map((name): [string, TaggedBody] => [
        `/docs/${name}`,
        staticPage('image/svg+xml', CACHE_AN_HOUR, read(name)),
      ]),
    ]),
    guide: new Map(GUIDE_PAGES.map((name) => [name, read(`${name}.md`).toString()])),
  };
}
