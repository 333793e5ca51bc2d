/**
 * The documents that show the rules in force: the API document, that of the stream, and the guide's pages. They are
 * built on first request, and cached until the rules change.
 */
import type { Rules } from '../../engine/model/rules.js';
import { asyncApiDocument } from '../asyncapi/document.js';
import type { TaggedBody } from '../kit/tagged-body.js';
import type { JsonObject } from '../openapi/schemas.js';
import type { DocsFiles } from './docs-page.js';
import { guidePage } from './guide.js';
import { REVALIDATE, type StaticPages, staticPage } from './static-pages.js';

const DOCUMENT_PATHS = ['/v1/openapi.json', '/api/v1/openapi.json'];
const STREAM_DOCUMENT_PATHS = ['/v1/asyncapi.json', '/api/v1/asyncapi.json'];
const GUIDE_PATH = '/docs/';
/**
 * API tools may run in a page of any origin. The document contains nothing private; other pages are not shared like
 * this.
 */
const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'];

export class Documents {
  #rules: Rules | null = null;
  #document: TaggedBody | null = null;
  #streamDocument: TaggedBody | null = null;
  #guide = new Map<string, TaggedBody>();
  readonly #pages: StaticPages;

  constructor(
    private readonly files: DocsFiles,
    private readonly apiDocument: (rules: Rules) => JsonObject,
  ) {
    this.#pages = files.pages;
  }

  find(path: string, rules: Rules): TaggedBody | undefined {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#document = null;
      this.#streamDocument = null;
      this.#guide.clear();
    }
    if (DOCUMENT_PATHS.includes(path)) {
      this.#document ??= documentPage(this.apiDocument(rules));
      return this.#document;
    }
    if (STREAM_DOCUMENT_PATHS.includes(path)) {
      this.#streamDocument ??= documentPage(asyncApiDocument(rules));
      return this.#streamDocument;
    }
    return this.#pages.get(path) ?? this.#guidePage(path, rules);
  }

  #guidePage(path: string, rules: Rules): TaggedBody | undefined {
    const name = path.startsWith(GUIDE_PATH) ? path.slice(GUIDE_PATH.length) : '';
    const page = this.#guide.get(name) ?? guidePage(this.files.guide, name, rules);
    if (page !== undefined) this.#guide.set(name, page);
    return page;
  }
}

function documentPage(document: JsonObject): TaggedBody {
  const text = JSON.stringify(document, null, 2);
  return staticPage('application/json', REVALIDATE, text, ANY_ORIGIN);
}
