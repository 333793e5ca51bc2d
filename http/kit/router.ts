/**
 * Maps paths to routes, for any methods and path patterns. Paths without parameters, and those with a common value of
 * their parameter, are found by one look-up, others segment by segment, in at most as many steps as the longest route
 * has. No regular expression runs over a client's path.
 */
import { assert } from '../../engine/base/assert.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

export interface Routed {
  readonly method: Method;
  /** Path below the API's base, such as `/accounts/{id}/keys`; `{...}` is one segment that is not empty. */
  readonly path: string;
  /** Values of the only parameter of `path` that are found by one look-up. */
  readonly usualValues?: readonly string[];
}

export interface Resource<R> {
  /** Includes HEAD wherever there is GET; the responder leaves the body out. */
  readonly byMethod: ReadonlyMap<string, R>;
  readonly allow: string;
}

export interface Found<R> {
  readonly resource: Resource<R>;
  /** In order, as the client sent them. */
  readonly params: readonly string[];
}

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  parameter: Node<R> | null;
  resource: Resource<R> | null;
}

const PARAMETER = /\{\w+\}/g;
const NO_PARAMS: readonly string[] = [];

export class Router<R extends Routed> {
  readonly #exact = new Map<string, Found<R>>();
  readonly #root = newNode<R>();

  constructor(bases: readonly string[], routes: readonly R[]) {
    for (const [shape, group] of groupByShape(routes)) {
      const resource = resourceOf(group);
      for (const base of bases) this.#add(base + shape, resource, group);
    }
  }

  /** null for an unknown path. A literal segment takes precedence over a parameter. */
  find(path: string): Found<R> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    return path.startsWith('/') ? walk(this.#root, path, 1, NO_PARAMS) : null;
  }

  #add(shape: string, resource: Resource<R>, group: readonly R[]): void {
    if (!shape.includes('{}')) {
      this.#exact.set(shape, { resource, params: NO_PARAMS });
      return;
    }
    for (const value of group.flatMap(({ usualValues = [] }) => usualValues)) {
      this.#exact.set(shape.replace('{}', value), { resource, params: [value] });
    }
    let node = this.#root;
    for (const segment of shape.slice(1).split('/')) node = childOf(node, segment);
    node.resource = resource;
  }
}

/** Paths that differ only in the names of their parameters are the same. */
function groupByShape<R extends Routed>(routes: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const route of routes) {
    const shape = route.path.replaceAll(PARAMETER, '{}');
    const group = groups.get(shape) ?? [];
    group.push(route);
    groups.set(shape, group);
  }
  return groups;
}

function resourceOf<R extends Routed>(routes: readonly R[]): Resource<R> {
  const byMethod = new Map<string, R>();
  for (const route of routes) {
    assert(!byMethod.has(route.method), `${route.method} ${route.path} is routed once`);
    byMethod.set(route.method, route);
    if (route.method === 'GET') byMethod.set('HEAD', route);
  }
  return { byMethod, allow: [...byMethod.keys(), 'OPTIONS'].join(', ') };
}

const newNode = <R>(): Node<R> => ({ literals: new Map(), parameter: null, resource: null });

function childOf<R>(node: Node<R>, segment: string): Node<R> {
  if (segment === '{}') {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const child = node.literals.get(segment) ?? newNode<R>();
  node.literals.set(segment, child);
  return child;
}

/** `at` is where the next segment begins, or behind the path's end if there is none left. */
function walk<R>(node: Node<R>, path: string, at: number, params: readonly string[]): Found<R> | null {
  if (at > path.length) return node.resource === null ? null : { resource: node.resource, params };
  const slash = path.indexOf('/', at);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(at, end);
  const literal = node.literals.get(segment);
  const found = literal === undefined ? null : walk(literal, path, end + 1, params);
  if (found !== null || node.parameter === null || segment === '') return found;
  return walk(node.parameter, path, end + 1, [...params, segment]);
}
