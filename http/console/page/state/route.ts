/** The place in the console: the fragment of the address, so that views have links, and the browser's "back" works. */
import { signal } from '@preact/signals';

const read = (): readonly string[] =>
  location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decodeURIComponent(part));

/** Such as `['markets', 'BTC_ONE_MINUTE']`. */
export const route = signal(read());
addEventListener('hashchange', () => (route.value = read()));

export const linkTo = (...parts: readonly string[]): string =>
  `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
