/**
 * The console's page, which the build has bundled (`page/`). Its files are read once, at the start. The content security
 * policy allows nothing but these files and requests to this server: no inline script or style, no other origin.
 */
import { existsSync, readFileSync } from 'node:fs';
import { TAGS } from '../operator/endpoint.js';
import { type ApiPage, CSS, guardedBy, HTML, JAVASCRIPT } from '../pages/docs-page.js';
import { REVALIDATE, type StaticPages, staticPage } from '../pages/static-pages.js';

export const SCRIPT_PATH = '/console/main.js';
/** Relative to this compiled file, in `dist/http/console/`. */
const FOLDER = new URL('./page/', import.meta.url);
const POLICY = guardedBy("script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'");

/** Empty if the page was not built, as after a build of the server alone. */
export function loadPage(): StaticPages {
  const read = (name: string): Buffer => readFileSync(new URL(name, FOLDER));
  if (!existsSync(new URL('index.html', FOLDER))) return new Map();
  const page = staticPage(HTML, REVALIDATE, read('index.html'), POLICY);
  return new Map([
    ['/console', page],
    ['/console/', page],
    [SCRIPT_PATH, staticPage(JAVASCRIPT, REVALIDATE, read('main.js'))],
    ['/console/main.css', staticPage(CSS, REVALIDATE, read('main.css'))],
    ['/console/icon.svg', staticPage('image/svg+xml', REVALIDATE, read('icon.svg'))],
  ]);
}

/** The page asks for the operator API's document with the session of the console. */
export const OPERATOR_API_PAGE: ApiPage = {
  title: 'tote operator API',
  documentPath: '/operator/v1/openapi.json',
  navigation:
    '<a href="/console">Console</a> <a href="/operator/v1/openapi.json">OpenAPI document</a> (both need you to be logged in)',
  tags: Object.keys(TAGS),
};
