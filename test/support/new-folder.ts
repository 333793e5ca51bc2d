/** Temporary folders, which go when the process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

export function newFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'tote-test-'));
  folders.push(folder);
  return folder;
}
