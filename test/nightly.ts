/** `npm run nightly`: the long runs one after the other, even if one fails. The exit code is 0 if all succeed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

interface Part {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const PARTS: readonly Part[] = [
  {
    name: 'simulate',
    program: './simulation/main.js',
    args: ['--hours', '1000000', '--minutes', '60', '--workers', '2'],
  },
  { name: 'power-loss', program: './powerloss/main.js', args: [] },
  { name: 'torture', program: './torture/main.js', args: [] },
  { name: 'torment', program: './replication/torment/main.js', args: [] },
  { name: 'fuzz', program: './fuzz/main.js', args: [] },
  { name: 'prove', program: './run.js', args: ['--night'] },
  ...['0', '1', '3'].map((gateways) => ({
    name: `blackbox-${gateways}`,
    program: './run.js',
    args: ['blackbox/'],
    env: { TOTE_TEST_GATEWAYS: gateways },
  })),
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
let running: ChildProcess | null = null;
let stoppedBy: NodeJS.Signals | null = null;

async function failureOf({ program, args, env }: Part): Promise<string | null> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    // In a process group of its own, so that its children end with it.
    detached: true,
  });
  running = child;
  const [code, signal] = await once(child, 'exit');
  running = null;
  return code === 0 ? null : `ended with ${code ?? signal}`;
}

// A misspelt option must not cost a night.
new Command('npm run nightly').description('the long runs one after the other, even if one fails').parse();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stoppedBy = signal;
    if (running?.pid !== undefined) process.kill(-running.pid, signal);
  });
}
const failures: string[] = [];
for (const part of PARTS) {
  say(`\n== ${[part.name, ...part.args].join(' ')}`);
  const failure = await failureOf(part);
  if (stoppedBy !== null)
    failures.push(`${part.name}: stopped by ${stoppedBy}; the parts after it were not run`);
  else if (failure !== null) failures.push(`${part.name}: ${failure}`);
  if (stoppedBy !== null) break;
}
say('');
for (const failure of failures) say(`FAILED ${failure}`);
if (failures.length === 0) say(`nothing failed: ${PARTS.map(({ name }) => name).join(', ')}`);
process.exitCode = failures.length === 0 ? 0 : 1;
