/** JSON from a price service; undefined if it is malformed, which no check of a message accepts. */
export function parseReceived(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
