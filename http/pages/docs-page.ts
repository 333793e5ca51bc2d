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
import { CACHE_AN_HOUR, REVALIDATE, type StaticPages, staticPage } from './static-pages.js';

/** For the guide and the frame around Swagger UI. Every page fits the width of a phone. */
export const STYLE = `:root { color-scheme: light dark; --text: #222; --ground: #fff; --raised: #f5f5f5; --line: #ddd; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --ground: #1c2022; --raised: #272c2f; --line: #3d4448; --link: #8ab4f8; }
}
html { scroll-padding-top: 1rem; }
body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
nav { position: sticky; top: 0; box-sizing: border-box; height: 100vh; padding: 1rem; overflow-y: auto; border-right: 1px solid var(--line); font-size: 0.875rem; }
nav p { margin: 0 0 1rem; }
nav p a { margin-right: 1rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: 0.25rem 0; }
nav .inner { margin-left: 1rem; }
body > main img { max-width: 100%; }
nav a, body > main a { color: var(--link); }
nav li a { color: inherit; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
body > main { box-sizing: border-box; width: 100%; max-width: 52rem; padding: 0 1.5rem 3rem; overflow-wrap: break-word; }
body > main h2 { margin-top: 2.5rem; }
body > main pre, .table { overflow-x: auto; }
body > main pre { padding: 0.75rem; background: var(--raised); }
body > main code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
body > main pre code { overflow-wrap: normal; }
body > main table { border-collapse: collapse; }
body > main th, body > main td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
@media (max-width: 800px) {
  body { display: block; }
  nav { position: static; height: auto; padding: 0.75rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  nav p { margin: 0; }
  nav ul { display: flex; gap: 1rem; overflow-x: auto; white-space: nowrap; }
  body > main { padding: 0 1rem 3rem; }
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui .opblock-body, .swagger-ui section.models { overflow-x: auto; }
}
`;

/** Pages in Markdown by name, in the order of the navigation. */
export type Guide = ReadonlyMap<string, string>;

export type DocsFiles = Readonly<ReturnType<typeof loadDocs>>;

export const HTML = 'text/html; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const CSS = 'text/css; charset=utf-8';

/** The page may load only what is `allowed`, and only from this server. */
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

export interface ApiPage {
  readonly title: string;
  readonly documentPath: string;
  /** HTML of the links to other pages. */
  readonly navigation: string;
  readonly tags: readonly string[];
}

export interface NavigationLink {
  readonly href: string;
  readonly html: string;
  readonly isInner: boolean;
}

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

/** Throws if the package is not installed. */
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

export function loadDocs() {
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
