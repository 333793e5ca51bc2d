/** The project's documents, for tests that run their examples. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** The text of a document, by its path in the project. */
export const readDocument = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The section under this heading, sub-headings included, up to the next one of its level or above. */
export function sectionOf(document: string, heading: string): string {
  const [marks = ''] = /^#+/.exec(heading) ?? [];
  const [, ...rest] = `\n${document}`.split(`\n${heading}\n`);
  assert.equal(rest.length, 1, `the document has the heading ${heading} once`);
  const [section = ''] = (rest[0] ?? '').split(new RegExp(`\\n#{1,${marks.length}} `));
  return section;
}

/** The code blocks of this language, in order. */
export function codeBlocks(section: string, language: string): string[] {
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}
