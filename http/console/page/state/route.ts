/** The place in the console: the fragment of the address, so that views have links, and the browser's "back" works. */
import { signal } from '@preact/signals';

/** Such as `['markets', 'BTC_ONE_MINUTE']`. */
export const route = signal<readonly string[]>(read());

function read(): readonly string[] {
  return location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decodeURIComponent(part));
}

export const linkTo = (...parts: readonly string[]): string =>
  `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;

export function followRoute(): void {
  addEventListener('hashchange', () => {
    route.value = read();
  });
}
