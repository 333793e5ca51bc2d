/** Returns what `read` gives, or `otherwise` where it throws, whatever the reason. */
export function attempt<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** undefined for text that is not JSON, which no check of a message accepts. */
export const parsedJson = (text: string): unknown => attempt((): unknown => JSON.parse(text), undefined);

export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Returns what `read` gives; where it throws, the reason is thrown in the words of `refusal`. */
export function orRefuse<T>(read: () => T, refusal: (reason: string, cause: unknown) => Error): T {
  try {
    return read();
  } catch (thrown) {
    throw refusal(messageOf(thrown), thrown);
  }
}
