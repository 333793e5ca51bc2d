/**
 * The documents that say what the rules in force are: the API document and the guide. Made when they are first asked
 * for under these rules, and kept until there are others.
 */
import type { Rules } from '../../engine/model/rules.js';
import type { JsonObject } from '../openapi/schemas.js';
import type { DocsFiles } from './docs-page.js';
import { guidePage } from './guide.js';
import { ASK_AGAIN, type StaticPage, type StaticPages, staticPage } from './static-pages.js';

const DOCUMENT_PATHS = ['/v1/openapi.json', '/api/v1/openapi.json'];
const GUIDE_PATH = '/docs/guide';
/** A client's tools may run in a page of any origin. The document tells nothing about anyone; all else is not for them. */
const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'];

export class Documents {
  #rules: Rules | null = null;
  #document: StaticPage | null = null;
  #guide: StaticPage | null = null;
  readonly #pages: StaticPages;

  constructor(
    private readonly files: DocsFiles,
    private readonly apiDocument: (rules: Rules) => JsonObject,
  ) {
    this.#pages = files.pages;
  }

  find(path: string, rules: Rules): StaticPage | undefined {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#document = null;
      this.#guide = null;
    }
    if (DOCUMENT_PATHS.includes(path)) {
      this.#document ??= documentPage(this.apiDocument(rules));
      return this.#document;
    }
    if (path === GUIDE_PATH) {
      this.#guide ??= guidePage(this.files.guide, rules);
      return this.#guide;
    }
    return this.#pages.get(path);
  }
}

function documentPage(document: JsonObject): StaticPage {
  const text = JSON.stringify(document, null, 2);
  return staticPage('application/json', ASK_AGAIN, text, ANY_ORIGIN);
}
