/** A whole number from the command line of one of the long runs. Throws, naming the option, where it is none. */
export function integerOption(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name}: ${text} is no whole number from 0 to 999999999`);
  return Number(text);
}

/** A seed for who names none; it is printed, so that the run can be had again. */
export const anySeed = (): string => String(Date.now() % 1_000_000);
