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
import { REVALIDATE, staticPage } from './static-pages.js';

const LEGACY = '/api';
const GUIDE_PATH = '/docs/';
/**
 * API tools may run in a page of any origin. The document contains nothing private; other pages are not shared like
 * this.
 */
const ANY_ORIGIN = ['Access-Control-Allow-Origin', '*'];

export class Documents {
  #rules: Rules | null = null;
  /** By canonical path. */
  readonly #made = new Map<string, TaggedBody>();

  constructor(
    private readonly files: DocsFiles,
    private readonly apiDocument: (rules: Rules) => JsonObject,
  ) {}

  find(path: string, rules: Rules): TaggedBody | undefined {
    if (rules !== this.#rules) {
      this.#rules = rules;
      this.#made.clear();
    }
    const canonical = path.startsWith(`${LEGACY}/v1/`) ? path.slice(LEGACY.length) : path;
    const page = this.files.pages.get(canonical) ?? this.#made.get(canonical) ?? this.#make(canonical, rules);
    if (page !== undefined) this.#made.set(canonical, page);
    return page;
  }

  #make(path: string, rules: Rules): TaggedBody | undefined {
    if (path === '/v1/openapi.json') return documentPage(this.apiDocument(rules));
    if (path === '/v1/asyncapi.json') return documentPage(asyncApiDocument(rules));
    return path.startsWith(GUIDE_PATH)
      ? guidePage(this.files.guide, path.slice(GUIDE_PATH.length), rules)
      : undefined;
  }
}

function documentPage(document: JsonObject): TaggedBody {
  const text = JSON.stringify(document, null, 2);
  return staticPage('application/json', REVALIDATE, text, ANY_ORIGIN);
}
