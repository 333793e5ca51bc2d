/** Throws, naming the option. */
export function integerOption(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: ${text} is no whole number from 0 to 999999999`);
  return Number(text);
}

/** It is printed, so that the run can be repeated. */
export const anySeed = (): string => String(Date.now() % 1_000_000);
