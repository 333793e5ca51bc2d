/** The operators' command line as a process of its own, as a shell would run it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The compiled entry, as bin/tote.mjs imports it. */
export const CLI_MAIN = fileURLToPath(new URL('../../persistence/cli/main.js', import.meta.url));

export interface Ran {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `tote` with these arguments to its end, in an environment without the developer's own settings. */
export async function tote(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOTE_'));
  const child = spawn(process.execPath, [CLI_MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: typeof code === 'number' ? code : null, stdout, stderr };
}

/** Runs `tote ... --json`, which must end with `code`, and returns its one document. */
export async function toteJson<T>(args: readonly string[], code = 0): Promise<T> {
  const ran = await tote([...args, '--json']);
  assert.equal(ran.code, code, `${args.join(' ')}\n${ran.stdout}\n${ran.stderr}`);
  return JSON.parse(ran.stdout) as T;
}
