/** The variables of a file such as systemd's EnvironmentFile: `NAME=value` a line, and comments with # or ;. */
import { readFileSync } from 'node:fs';
import { orRefuse } from '../engine/base/attempt.js';
import { ConfigError } from './config.js';

/** Throws `ConfigError` for a file that cannot be read, and for lines that systemd would pass over. */
export function readEnvFile(path: string): Record<string, string> {
  const text = orRefuse(
    () => readFileSync(path, 'utf8'),
    (reason) => new ConfigError([`${path} cannot be read: ${reason}`]),
  );
  const mistakes: string[] = [];
  const entries = text.split('\n').flatMap((line, index) => {
    if (/^\s*([#;]|$)/.test(line)) return [];
    const [, name = '', quoted, plain = ''] =
      /^\s*([A-Za-z_]\w*)=\s*(?:(["'].*["'])|(.*?))\s*$/.exec(line) ?? [];
    if (name === '') mistakes.push(`${path}, line ${index + 1}: expected NAME=value`);
    return [[name, quoted?.slice(1, -1) ?? plain]];
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.fromEntries(entries) as Record<string, string>;
}
