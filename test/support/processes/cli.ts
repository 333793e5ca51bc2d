/** Runs the operators' command line: in this process, which suits most tests, or as a process of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { run } from '../../../persistence/cli/run.js';

export const CLI_MAIN = fileURLToPath(new URL('../../../persistence/cli/main.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `npx tote ...args` in this process, because starting one takes several times as long as a command. Not for
 * directories whose files this process has open, for stdin, and for the facts of a process.
 */
export async function tote(args: readonly string[]): Promise<Ran> {
  const stdout: Buffer[] = [];
  const stderr: string[] = [];
  const code = await run(args, {
    stdout: (bytes) => void stdout.push(Buffer.from(bytes)),
    stderr: (message) => void stderr.push(message),
  });
  return { code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: stderr.join('') };
}

async function ended(args: readonly string[], code: number): Promise<Ran> {
  const ran = await tote(args);
  assert.equal(ran.code, code, `tote ${args.join(' ')}\n${ran.stdout}\n${ran.stderr}`);
  return ran;
}

export async function toteText(args: readonly string[], code = 0): Promise<string> {
  return (await ended(args, code)).stdout;
}

/** On stderr. */
export async function toteErrors(args: readonly string[], code: number): Promise<string> {
  return (await ended(args, code)).stderr;
}

/** With `--json`; the document's type is the test's claim. */
export async function toteJson<T>(args: readonly string[], code = 0): Promise<T> {
  return JSON.parse(await toteText([...args, '--json'], code)) as T;
}

export async function toteLines<T>(args: readonly string[]): Promise<T[]> {
  const lines = (await toteText([...args, '--json'])).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

export async function toteProcess(
  args: readonly string[],
  { env = {}, stdin = '' }: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string } = {},
): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOTE_'));
  const child = spawn(process.execPath, [CLI_MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that reads none of it may be gone before it is written.
  child.stdin.on('error', () => {}).end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: typeof code === 'number' ? code : null, stdout, stderr };
}
