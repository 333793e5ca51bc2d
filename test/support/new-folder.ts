/** Temporary folders, which go when the process ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** `content` is the text, or stands for its JSON. */
export function newFile(content: unknown): string {
  const path = join(newFolder(), 'file.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
