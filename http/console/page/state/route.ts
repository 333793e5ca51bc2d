/** The place in the console: the fragment of the address, so that views have links, and the browser's "back" works. */
import { signal } from '@preact/signals';

/** An address that somebody typed may hold a bare percent sign. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const read = (): readonly string[] =>
  location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);

/** Such as `['markets', 'BTC_ONE_MINUTE']`. */
export const route = signal(read());
addEventListener('hashchange', () => (route.value = read()));

export const linkTo = (...parts: readonly string[]): string =>
  `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
