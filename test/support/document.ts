/** The project's documents, for tests that run their examples. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export const readDocument = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

export function sectionOf(document: string, heading: string): string {
  const [marks = ''] = /^#+/.exec(heading) ?? [];
  const [, ...rest] = `\n${document}`.split(`\n${heading}\n`);
  assert.equal(rest.length, 1, `the document has the heading ${heading} once`);
  const [section = ''] = (rest[0] ?? '').split(new RegExp(`\\n#{1,${marks.length}} `));
  return section;
}

export function codeBlocks(section: string, language: string): string[] {
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}
