import type { HeaderList } from '../../engine/model/ports.js';

/** Each behind a line end. */
export function headerLines(headers: HeaderList): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += `\r\n${headers[at]}: ${headers[at + 1]}`;
  return lines;
}
