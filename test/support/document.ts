/** The project's documents, for tests that run their examples. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const urlOf = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

export function documentPaths(): string[] {
  const list = ['ls-files', '-co', '--exclude-standard', '*.md'];
  const listed = execFileSync('git', list, { cwd: urlOf('.'), encoding: 'utf8' }).split('\n');
  return listed.filter((path) => path !== '' && existsSync(urlOf(path)));
}

export const readDocument = (path: string): string => readFileSync(urlOf(path), 'utf8');

/** The rows below the table's `head`. */
export const rowsBelow = (path: string, head: string): string =>
  /^(\|.*\n)*/.exec(readDocument(path).split(head)[1] ?? '')?.[0] ?? '';

/** With TOTE_TEST_WRITE=1 they are written, as `npm test -- ${part}` is told to. */
export function assertRows(path: string, head: string, rows: readonly string[], part: string): void {
  const shown = rowsBelow(path, head);
  if (process.env['TOTE_TEST_WRITE'] === '1' && shown !== '')
    writeFileSync(
      urlOf(path),
      readDocument(path).replace(head + shown, () => head + rows.join('')),
    );
  assert.equal(shown, rows.join(''), `TOTE_TEST_WRITE=1 npm test -- ${part} writes it`);
}

export function sectionOf(document: string, heading: string): string {
  const [marks = ''] = /^#+/.exec(heading) ?? [];
  const [, ...rest] = `\n${document}`.split(`\n${heading}\n`);
  assert.equal(rest.length, 1, `the document has the heading ${heading} once`);
  const [section = ''] = (rest[0] ?? '').split(new RegExp(`\\n#{1,${marks.length}} `));
  return section;
}

export function codeBlocks(section: string, language: string): string[] {
  const fenced = new RegExp(`^( *)\`\`\`${language}(?: .*)?\\n([^]*?)^\\1\`\`\`$`, 'gm');
  return [...section.matchAll(fenced)].map(([, indent, code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
