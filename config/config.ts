/**
 * The configuration: every `TOTE_*` environment variable, checked once, before anything else happens. All mistakes are
 * reported at once, each with the variable's name and what was expected. An unknown name is a mistake too: a misspelt
 * limit would otherwise be no limit.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../engine/base/attempt.js';
import { Expected, type Variable } from './config-values.js';
import { mistakesOfProduction } from './production.js';
import { mistakesOfReplication } from './replication-variables.js';
import { mistakesOfTls } from './tls-files.js';
import { type Config, VARIABLES } from './variables.js';

/** Read by bots, perhaps in the same shell. */
const VARIABLES_OF_BOTS: readonly string[] = ['TOTE_API_KEY', 'TOTE_API_URL', 'TOTE_OPERATOR_URL'];

type Environment = Readonly<Record<string, string | undefined>>;

/** One sentence for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly mistakes: readonly string[]) {
    super(
      `the configuration has ${mistakes.length} mistake(s):\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    );
  }
}

/** Throws a `ConfigError` with every mistake. */
export function readConfig(env: Environment): Config {
  const mistakes: string[] = [];
  const fields = Object.entries(VARIABLES).map(([field, variable]) => [
    field,
    read<unknown>(variable, env, mistakes),
  ]);
  const isProduction = env['NODE_ENV'] === 'production';
  const config = { ...Object.fromEntries(fields), isProduction } as Config;
  refuseUnknownNames(env, mistakes);
  if (config.port !== 0 && config.port === config.operatorPort && config.host === config.operatorHost) {
    mistakes.push('TOTE_OPERATOR_PORT: is the same as TOTE_PORT; expected a port of its own');
  }
  mistakes.push(...mistakesOfTls(config), ...mistakesOfProduction(config));
  // A wrong value is told first: TOTE_REPLICATION itself may be meant.
  if (mistakes.length === 0) mistakes.push(...mistakesOfReplication(env, config.replication));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return config;
}

/** The rules as their file is now: a standby has read it long before it leads. */
export function readRules(env: Environment): Config['rules'] {
  const mistakes: string[] = [];
  const rules = read(VARIABLES.rules, env, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return rules;
}

/** An invalid text is added to `mistakes`, and the default stands in for the checks that follow. */
function read<T>({ name, unset, read, isSecret }: Variable<T>, env: Environment, mistakes: string[]): T {
  let text: string | undefined;
  try {
    text = isSecret === true ? secretText(name, env) : env[name];
    return text === undefined ? unset : read(text.trim());
  } catch (error) {
    if (!(error instanceof Expected)) throw error;
    // An address may have a password before "@", or a key behind "?".
    const isShown = isSecret !== true && !/[@?]/.test(text ?? '');
    const file = isSecret === true && text !== undefined ? env[`${name}_FILE`] : undefined;
    const hidden = file === undefined ? 'its value' : `its value in ${file}`;
    const shown = isShown ? JSON.stringify(text) : hidden;
    mistakes.push(`${name}: ${shown} is not valid; expected ${error.message}`);
    return unset;
  }
}

/**
 * The text of a secret variable, or undefined. To keep it out of the environment, name a file by NAME_FILE, or have
 * systemd's credential NAME (`LoadCredential`). Throws `Expected`.
 */
function secretText(name: string, env: Environment): string | undefined {
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
    throw new Expected(`a file that can be read: ${messageOf(error)}`);
  }
  throw new Expected(`a file that other users cannot read: chmod o= ${file}`);
}

function refuseUnknownNames(env: Environment, mistakes: string[]): void {
  const variables: readonly Variable<unknown>[] = Object.values(VARIABLES);
  const known = variables.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name]));
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('TOTE_') || known.includes(name) || VARIABLES_OF_BOTS.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === null ? 'docs/ops/configuration.md has all' : `did you mean ${near}?`;
    mistakes.push(`${name}: no such variable; ${hint}`);
  }
}

/** The fewest insertions, deletions and replacements that turn `a` into `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The one of `known` nearest to `name`, or null if none is within a third of the name's length. */
function nearest(name: string, known: readonly string[]): string | null {
  const distanceTo = (candidate: string): number => editDistance(name, candidate);
  const near = known.filter((candidate) => distanceTo(candidate) <= Math.floor(name.length / 3));
  return near.toSorted((one, other) => distanceTo(one) - distanceTo(other))[0] ?? null;
}
