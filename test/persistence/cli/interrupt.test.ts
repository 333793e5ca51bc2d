/**
 * Ctrl-C and `kill -INT` end a command at once, in a real terminal, although it computes without a pause. Its output
 * goes to a pipe that the test reads, so it cannot end earlier.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CLI_MAIN } from '../../support/processes/cli.js';
import { Terminal } from '../../support/processes/terminal.js';
import { isAvailable } from '../../support/programs.js';
import { makeOperatorDir } from '../support/operator-dir.js';

const skip = isAvailable('tmux') ? false : 'tmux is not installed';
const CHUNK_BYTES = 4_096;
const PROGRESS = /replay: \d+ of \d+ commands/;

async function startReplay(t: TestContext): Promise<Terminal> {
  const terminal = new Terminal();
  t.after(() => terminal.close());
  const { folder } = terminal;
  makeOperatorDir(join(folder, 'data'), { commands: 1_300 });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  terminal.enter('stty -g > before');
  terminal.enter(`sh -c 'echo $$ > pid; exec "${process.execPath}" "${CLI_MAIN}" replay data --json' > pipe`);
  const pipe = createReadStream(join(folder, 'pipe'), { highWaterMark: CHUNK_BYTES });
  t.after(() => pipe.destroy());
  await terminal.until(PROGRESS, () => pipe.read());
  return terminal;
}

for (const [name, interrupt] of [
  ['Ctrl-C', (terminal: Terminal) => terminal.press('C-c')],
  [
    'kill -INT',
    ({ folder }: Terminal) => process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGINT'),
  ],
] as const) {
  test(`${name} ends a command behind its progress with 130 and leaves the terminal as it was`, {
    skip,
  }, async (t) => {
    const terminal = await startReplay(t);
    interrupt(terminal);
    terminal.enter('echo "code $?"; stty -g > after; echo "all "done');
    assert.match(await terminal.until(/all done/), /code 130/);
    assert.ok(terminal.isCursorVisible());
    const [before, after] = ['before', 'after'].map((file) =>
      readFileSync(join(terminal.folder, file), 'utf8'),
    );
    assert.equal(after, before);
  });
}
