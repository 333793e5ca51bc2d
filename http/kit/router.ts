/** Finds the route of a request: by path first, so that a known path can say which methods it takes. */
import type { Handle, Route } from '../operator/call.js';

export type Match =
  | { readonly found: true; readonly handle: Handle; readonly params: readonly string[] }
  /** `allowed` is empty where the path itself is unknown. */
  | { readonly found: false; readonly allowed: readonly string[] };

interface Entry {
  readonly pattern: RegExp;
  readonly byMethod: Map<string, Handle>;
}

export class Router {
  readonly #entries = new Map<string, Entry>();

  constructor(prefix: string, routes: readonly Route[]) {
    for (const { method, path, handle } of routes) {
      let entry = this.#entries.get(path);
      if (entry === undefined) {
        const pattern = new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
        entry = { pattern, byMethod: new Map() };
        this.#entries.set(path, entry);
      }
      entry.byMethod.set(method, handle);
    }
  }

  /** HEAD is answered as GET is; the responder leaves the body out. */
  match(method: string, path: string): Match {
    for (const { pattern, byMethod } of this.#entries.values()) {
      const matched = pattern.exec(path);
      if (matched === null) continue;
      const handle = byMethod.get(method === 'HEAD' ? 'GET' : method);
      if (handle !== undefined) return { found: true, handle, params: matched.slice(1) };
      return { found: false, allowed: allowedMethods([...byMethod.keys()]) };
    }
    return { found: false, allowed: [] };
  }
}

function allowedMethods(methods: readonly string[]): string[] {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}
