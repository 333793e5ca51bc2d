/** Links of the documents lead somewhere, their examples parse, and their sentences begin with who does something. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { ALARMS } from '../../http/metrics/alarm-list.js';
import { FAILURE_KINDS, MEANINGS } from '../../http/openapi/failures.js';
import { COMMANDS } from '../../persistence/cli/registry.js';
import { LOG_EVENTS } from '../../process/log/events.js';
import { codeBlocks, documentPaths } from '../support/document.js';
import { PRODUCT, project, sourcesIn, textOf } from './sources.js';

const documents = documentPaths();
const blocksIn = (language: string) =>
  documents.flatMap((file) => codeBlocks(textOf(file), language).map((code) => [file, code] as const));

const withoutCode = (text: string): string => text.replaceAll(/^( *)```.*\n[\s\S]*?^\1```$/gm, '');

const anchorsOf = (file: string): string[] =>
  [...withoutCode(textOf(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link leads to a file, and to a heading of it', () => {
  const links = documents.flatMap((file) =>
    [...withoutCode(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => [file, link] as const),
  );
  ok(links.length > 200, 'the links are where this test looks for them');
  const wrong = links.filter(([file, link]) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    if (!existsSync(join(project, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  deepEqual(wrong, []);
});

test('every block of JSON, or for a shell, parses', () => {
  const values = blocksIn('json').flatMap(([, code]) => code.split(/\n(?=\{)/));
  ok(values.length > 50);
  for (const value of values) JSON.parse(value);
  const scripts = blocksIn('sh');
  ok(scripts.length > 70);
  for (const [file, input] of scripts)
    equal(spawnSync('bash', ['-n'], { input, encoding: 'utf8' }).stderr, '', `${file}\n${input}`);
});

test('no sentence begins with What, Whoever or Of', () => {
  const wrong = documents.flatMap((file) =>
    [
      ...withoutCode(textOf(file)).matchAll(/(?:^|[.:!] |^[-|] )((?:What|Whoever|Of) [^.?\n]*)(?!.*\?)/gm),
    ].map(([, sentence]) => `${file}: ${sentence}`),
  );
  deepEqual(wrong, []);
});

test('no sentence of a comment begins so, either', () => {
  const sources = [...PRODUCT, 'bench', 'test'].flatMap(sourcesIn);
  const sentence = /^ *(?:\/\*\*|\*|\/\/)(?:.*[.:])? (?:What|Whoever|Of) .*/gm;
  const begun = sources.flatMap((file) => [...textOf(file).matchAll(sentence)].map(([text]) => [file, text]));
  deepEqual(begun, []);
});

test('no sentence of the log, of errors, alarms and commands begins so, either', async () => {
  const told = [
    ...Object.values(LOG_EVENTS).map(({ message }) => message),
    ...Object.values(MEANINGS),
    ...Object.values(FAILURE_KINDS).map(({ meaning }) => meaning),
    ...ALARMS.flatMap(({ what, advice }) => [what, advice]),
    ...COMMANDS.map(({ summary }) => summary),
    ...(await Promise.all(COMMANDS.map(({ load }) => load()))).flatMap(
      ({ details, examples, operands = [], options = [] }) => [
        ...[details, ...examples.map(([, purpose]) => purpose)],
        ...[...operands, ...options].map(({ description }) => description),
      ],
    ),
  ];
  ok(told.length > 200, 'the sentences are where this test looks for them');
  const left = told.filter((sentence) => /(?:^|[.:!] )(?:what|whoever|of) /i.test(sentence));
  deepEqual(left, []);
});
