/** Which paths there are and what each of them takes (specification, section 4). */
import { type Scope, scopesMask } from '../../engine/model/domain.js';
import type { Call, Verdict } from './call.js';

/** What a request of a known path and method does once it is allowed to. `segment` is the path's id, or ''. */
export interface Operation {
  /** Bit mask of the scope that the key must have. */
  readonly scope: number;
  readonly isWrite: boolean;
  readonly run: (call: Call, segment: string) => Verdict;
}

export interface Route {
  /** As in the API document. */
  readonly path: string;
  readonly get: Operation;
  readonly post: Operation | null;
  /** Ids that are asked for all the time: their paths are found whole. */
  readonly usualIds: readonly string[];
  /** Value of the `Allow` header. */
  readonly allow: string;
}

export const reading = (scope: Scope, run: Operation['run']): Operation => ({
  scope: scopesMask([scope]),
  isWrite: false,
  run,
});

export const writing = (scope: Scope, run: Operation['run']): Operation => ({
  scope: scopesMask([scope]),
  isWrite: true,
  run,
});

export function route(
  path: string,
  get: Operation,
  post: Operation | null = null,
  usualIds: readonly string[] = [],
): Route {
  const allow = post === null ? 'GET, HEAD, OPTIONS' : 'GET, HEAD, POST, OPTIONS';
  return { path, get, post, allow, usualIds };
}

/** Canonical and legacy base address (specification, section 9). */
export const BASES = ['/v1', '/api/v1'] as const;

const ID = '/{id}';

export interface Found {
  readonly route: Route;
  readonly segment: string;
}

/** Finds a path in at most two look-ups, whatever the client sends. */
export class RouteTable {
  readonly #exact = new Map<string, Found>();
  /** By the path up to the id's slash. */
  readonly #withId = new Map<string, Route>();

  constructor(routes: readonly Route[]) {
    for (const base of BASES) {
      for (const entry of routes) {
        const path = base + entry.path;
        if (!path.endsWith(ID)) {
          this.#exact.set(path, { route: entry, segment: '' });
          continue;
        }
        const stem = path.slice(0, -ID.length);
        this.#withId.set(stem, entry);
        for (const id of entry.usualIds) this.#exact.set(`${stem}/${id}`, { route: entry, segment: id });
      }
    }
  }

  /** null for an unknown path. An empty id is one, and so is a trailing slash. */
  find(path: string): Found | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const cut = path.lastIndexOf('/');
    const withId = this.#withId.get(path.slice(0, Math.max(cut, 0)));
    return withId === undefined || cut === path.length - 1
      ? null
      : { route: withId, segment: path.slice(cut + 1) };
  }
}
