/** Whether a client prefers a body in gzip (RFC 9110, section 12.5.3). */

/** RFC 9110, section 12.4.2. */
const WEIGHT = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** Clients send the same value again and again. */
let kept = { acceptEncoding: '', isAccepted: false };

/** `acceptEncoding` is '' if absent. */
export function acceptsGzip(acceptEncoding: string): boolean {
  if (acceptEncoding !== kept.acceptEncoding)
    kept = { acceptEncoding, isAccepted: prefersGzip(acceptEncoding) };
  return kept.isAccepted;
}

/** Elements that are not well-formed are passed over. */
function prefersGzip(acceptEncoding: string): boolean {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (weight !== null) weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  // Unnamed, the body as it is is acceptable, but the last choice.
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

/** 1 if there is no weight; null if it is malformed. */
function weightOf(parameters: readonly string[]): number | null {
  const [given] = parameters;
  if (given === undefined) return 1;
  const [name, value = ''] = given.split('=');
  return parameters.length === 1 && name === 'q' && WEIGHT.test(value) ? Number(value) : null;
}
