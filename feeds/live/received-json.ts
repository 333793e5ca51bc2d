/** JSON as a price service sends it; undefined where it is none, which no check of a message accepts. */
export function parseReceived(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
