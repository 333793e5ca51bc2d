/** An integer option of a long run. Throws, naming the option, if it is not one. */
export function integerOption(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: ${text} is no whole number from 0 to 999999999`);
  return Number(text);
}

/** A seed if none is given; it is printed, so that the run can be repeated. */
export const anySeed = (): string => String(Date.now() % 1_000_000);
