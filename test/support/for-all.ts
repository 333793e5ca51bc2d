/** A property of fast-check that must hold, as a call: first how it is searched, where that matters. */
import fc from 'fast-check';

type Property<Ts extends [unknown, ...unknown[]]> = [
  ...arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
  holds: (...values: Ts) => void,
];

export function forAll<Ts extends [unknown, ...unknown[]]>(...property: Property<Ts>): void {
  fc.assert(fc.property<Ts>(...property));
}

export function forMany<Ts extends [unknown, ...unknown[]]>(
  parameters: fc.Parameters<Ts>,
  ...property: Property<Ts>
): void {
  fc.assert(fc.property<Ts>(...property), parameters);
}
