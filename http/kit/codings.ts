/** Content codings (RFC 9110, section 12.5.3): which form of a body the client of a request prefers. */

export type Coding = 'br' | 'gzip';

/** From 0 for never to 1. */
interface Wishes {
  readonly br: number;
  readonly gzip: number;
  readonly identity: number;
}

/** Clients send the same few values again and again. Bounds memory, together with `KEPT_LENGTH_MAX`. */
const WISHES_KEPT = 64;
const KEPT_LENGTH_MAX = 200;
const kept = new Map<string, Wishes>();

/** RFC 9110, section 12.4.2. */
const WEIGHT = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/**
 * The first of the codings that the client prefers, or null for the body as it is, also for a client that accepts
 * nothing of what is offered.
 */
export function chooseCoding(acceptEncoding: string, offered: readonly Coding[]): Coding | null {
  const wishes = kept.get(acceptEncoding) ?? keep(acceptEncoding);
  let best: Coding | null = null;
  for (const coding of offered) {
    const wish = wishes[coding];
    if (wish > 0 && wish >= wishes.identity && (best === null || wish > wishes[best])) best = coding;
  }
  return best;
}

function keep(acceptEncoding: string): Wishes {
  const wishes = readWishes(acceptEncoding);
  if (acceptEncoding.length > KEPT_LENGTH_MAX) return wishes;
  if (kept.size >= WISHES_KEPT) kept.clear();
  kept.set(acceptEncoding, wishes);
  return wishes;
}

/** Elements that are not well-formed are passed over. */
function readWishes(acceptEncoding: string): Wishes {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (weight !== null) weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  const others = weights.get('*');
  return {
    br: weights.get('br') ?? others ?? 0,
    gzip: weights.get('gzip') ?? others ?? 0,
    // Unnamed, it is acceptable, but the last choice.
    identity: weights.get('identity') ?? 0,
  };
}

/** 1 if there is no weight; null if it is malformed. */
function weightOf(parameters: readonly string[]): number | null {
  const [given] = parameters;
  if (given === undefined) return 1;
  const [name, value = ''] = given.split('=');
  return parameters.length === 1 && name === 'q' && WEIGHT.test(value) ? Number(value) : null;
}
