/**
 * The console's page: one HTML file, a script and a stylesheet, which the build has bundled (`page/`). They are read
 * once, at the start. The names of script and stylesheet hold their tags, so browsers keep them for good; the page
 * itself is asked for each time. The content security policy allows nothing but these files and requests to this
 * server: no inline script or style, no other origin.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { TaggedBody } from '../kit/tagged-body.js';
import { CSS, guardedBy, HTML, JAVASCRIPT } from '../pages/docs-page.js';
import { REVALIDATE, type StaticPages, staticPage } from '../pages/static-pages.js';

const FOREVER = 'public, max-age=31536000, immutable';
const TAG_LENGTH = 12;
/** Relative to this compiled file, in `dist/http/console/`. */
const FOLDER = new URL('./page/', import.meta.url);

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#14532d"/><path d="M8 9h16v4h-6v11h-4V13H8z" fill="#fff"/></svg>
`;

const pageText = (script: string, style: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>tote console</title>
    <link rel="icon" href="/console/icon.svg">
    <link rel="stylesheet" href="${style}">
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. The operator API does not: see /docs.</noscript>
    <script type="module" src="${script}"></script>
  </body>
</html>
`;

/** Empty if the page was not built, as after a build of the server alone. */
export function loadPage(): StaticPages {
  const [script, style] = [new URL('main.js', FOLDER), new URL('main.css', FOLDER)];
  if (!existsSync(script) || !existsSync(style)) return new Map();
  const [scriptText, styleText] = [readFileSync(script), readFileSync(style)];
  const scriptPath = `/console/main-${tagOf(scriptText)}.js`;
  const stylePath = `/console/main-${tagOf(styleText)}.css`;
  const allowed = ["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"];
  const page = staticPage(HTML, REVALIDATE, pageText(scriptPath, stylePath), guardedBy(...allowed));
  return new Map<string, TaggedBody>([
    ['/console', page],
    ['/console/', page],
    [scriptPath, staticPage(JAVASCRIPT, FOREVER, scriptText)],
    [stylePath, staticPage(CSS, FOREVER, styleText)],
    ['/console/icon.svg', staticPage('image/svg+xml', REVALIDATE, ICON)],
  ]);
}

const tagOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, TAG_LENGTH);
