/**
 * A secret from a file, for whoever keeps it out of the environment: NAME_FILE names it, or systemd's credential NAME is it
 * (`LoadCredential`).
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Expected } from './config-values.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The text of the secret variable `name`, or undefined. Throws `Expected`. */
export function secretText(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`];
  const credential = join(env['CREDENTIALS_DIRECTORY'] ?? '', name);
  const hasCredential = env['CREDENTIALS_DIRECTORY'] !== undefined && existsSync(credential);
  const places = [env[name] !== undefined, file !== undefined, hasCredential].filter(Boolean);
  if (places.length > 1) throw new Expected(`one of ${name}, ${name}_FILE and the credential ${name}`);
  if (file !== undefined) return contentOf(file);
  return hasCredential ? contentOf(credential) : env[name];
}

const MAY_OTHERS_READ = 0o004;

function contentOf(file: string): string {
  try {
    if ((statSync(file).mode & MAY_OTHERS_READ) === 0) return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Expected(`a file that can be read: ${error instanceof Error ? error.message : error}`);
  }
  throw new Expected(`a file that other users cannot read: chmod o= ${file}`);
}
