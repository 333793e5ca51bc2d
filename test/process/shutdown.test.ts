/**
 * The end of a process, seen from outside: exit code and log. Each test runs a small program that uses the real
 * `Shutdown` with a server that only records its calls.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newFile } from '../support/new-folder.js';
import type { Ran } from '../support/processes/cli.js';
import { logLines } from '../support/processes/log-lines.js';

const module = (name: string): string =>
  JSON.stringify(new URL(`../../process/${name}.js`, import.meta.url).href);

const PROGRAM = `
import { writeSync } from 'node:fs';
import { Shutdown } from ${module('shutdown')};
import { createLog } from ${module('log/log')};
const say = (text) => writeSync(1, text + '\\n');
const ending = new Shutdown(createLog('info'));
const impatient = new Shutdown(createLog('info'), 0);
const patient = new Shutdown(createLog('info'), 60_000);
const hasty = new Shutdown(createLog('info'), 0, 20);
const server = {
  drain: async () => { say('drain'); },
  close: async () => { say('close'); },
};
setInterval(() => {}, 1000);
`;

/** Sends the first of `signals` after the program's first line, and so on. */
async function run(
  body: string,
  signals: readonly NodeJS.Signals[] = [],
  log: 'pipe' | number = 'pipe',
): Promise<Ran> {
  const args = ['--input-type=module', '-e', PROGRAM + body];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', log] });
  let stdout = '';
  let stderr = '';
  const left = [...signals];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const signal of left.splice(0, text.split('\n').length - 1)) child.kill(signal);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : null, stdout, stderr };
}

const UP = "ending.watch(server); say('up');";
const WAITING =
  "server.close = () => new Promise((done) => { process.once('SIGWINCH', done); say('close'); });";
const LATE = "process.once('SIGTERM', () => setImmediate(() => ending.watch(server)));";

for (const [what, body, signals] of [
  ['SIGTERM', UP, ['SIGTERM']],
  ['SIGINT', UP, ['SIGINT']],
  [
    'Ctrl-C under npm, twice but close together,',
    `${WAITING} patient.watch(server); say('up');`,
    ['SIGINT', 'SIGINT', 'SIGWINCH'],
  ],
  [
    'a stop while a standby becomes a leader',
    `ending.watch({}); ending.unwatch(); ${LATE} say('up');`,
    ['SIGTERM'],
  ],
] as const) {
  test(`${what} drains, then closes, then exits 0`, async () => {
    const { code, stdout, stderr } = await run(body, signals);
    assert.deepEqual([code, stdout], [0, 'up\ndrain\nclose\n'], stderr);
    assert.match(stderr, /"msg":"stopped"/);
  });
}

test('a log on a full disk holds up nothing and ends nothing', async () => {
  const body = `
    const log = createLog('info'); log.write('starting'); log.flush();
    ${UP}
  `;
  const { code, stdout } = await run(body, ['SIGTERM'], openSync('/dev/full', 'w'));
  assert.deepEqual([code, stdout], [0, 'up\ndrain\nclose\n']);
});

test('lines are in their order, whenever the log is flushed', async () => {
  const body = `
    const log = createLog('info');
    for (let id = 0; id < 300; id++) {
      log.write('stopping', { id });
      if (id % 2 === 1) log.flush();
      if (id % 3 === 0) await new Promise(setImmediate);
    }
    process.exit(0);
  `;
  const [inFile, ids] = [newFile(''), Array.from({ length: 300 }, (_, id) => id)];
  const { stderr: piped } = await run(body);
  await run(body, [], openSync(inFile, 'w'));
  const idsIn = (text: string): unknown[] => logLines(text).map((line) => line['id']);
  assert.deepEqual([idsIn(piped), idsIn(readFileSync(inFile, 'utf8'))], [ids, ids]);
});

for (const [reason, stop, said] of [
  ['a signal', "say('up');", 'up\ndrain\ntold\n'],
  ['a full disk', 'impatient.diskFull({});', 'drain\ntold\n'],
] as const) {
  test(`a second signal while ${reason} stops the server ends at once, without a close`, async () => {
    const drain = "server.drain = () => new Promise(() => { say('drain'); }); impatient.watch(server);";
    const body = `${drain} process.on('SIGTERM', () => say('told')); ${stop}`;
    const ended = await run(body, ['SIGTERM', 'SIGTERM']);
    assert.deepEqual([ended.code, ended.stdout], [1, said], ended.stderr);
  });
}

const DISK = "{ directory: '/srv/tote', freeBytes: 12345 }";
for (const [why, body, reason] of [
  ['that fails', `server.drain = async () => { throw new Error('no disk'); }; ${UP}`, /no disk/],
  [
    'without an end',
    "server.close = () => new Promise(() => {}); hasty.watch(server); say('up');",
    /taken 0.02 s/,
  ],
  ['of a takeover without an end', "hasty.watch({}); hasty.unwatch(); say('up');", /taken 0.02 s/],
  ['for a full disk', `${UP} ending.diskFull(${DISK});`, /"directory":"\/srv\/tote","freeBytes":12345/],
] as const) {
  test(`a stop ${why} is fatal, with its reason in the log`, async () => {
    const ended = await run(body, why === 'for a full disk' ? [] : ['SIGTERM']);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, new RegExp(`"level":60.*${reason.source}`));
  });
}

const ERRORS = [
  ['an exception that nobody caught', "setImmediate(() => { throw new Error('wrong'); });", 'drain\n'],
  ['a rejection that nobody caught', "Promise.reject(new Error('wrong'));", 'drain\n'],
  ['a programming error', "ending.programmingError(new Error('wrong'));", 'drain\n'],
  ['an error of the journal', "ending.fatal(new Error('so wrong', { cause: new Error('wrong') }));", ''],
] as const;

for (const [what, body, said] of ERRORS) {
  const before = said === '' ? 'waits for nothing' : 'lets earlier commands become durable';
  test(`${what} ${before}, closes nothing and exits 1`, async () => {
    const { code, stdout, stderr } = await run(`ending.watch(server); ${body}`);
    assert.deepEqual([code, stdout], [1, said]);
    assert.match(stderr, /"level":60.*"message":"(so )?wrong"/);
  });
}

test('secrets are masked in log lines', async () => {
  const body = `createLog('info').write('stopped', { secret: 's3cret', key: { apiKey: 's3cret' }, id: 7 }); process.exit(0);`;
  const ended = await run(body);
  assert.match(ended.stderr, /"id":7/);
  assert.doesNotMatch(ended.stderr, /s3cret/);
});

test('a server that was told to stop says so until it ends, also on a full disk, and an error ends it at once', async () => {
  const said = 'say(ending.isStopping);';
  const stop = (close: string) =>
    run(`server.close = async () => { ${close} }; ending.watch(server); ${said}`, ['SIGTERM']);
  const full = await stop(`${said} ending.diskFull({});`);
  assert.deepEqual([full.code, full.stdout], [0, 'false\ndrain\ntrue\n']);
  const wrong = await stop("ending.programmingError(new Error('wrong'));");
  assert.deepEqual([wrong.code, wrong.stdout], [1, 'false\ndrain\n']);
});
