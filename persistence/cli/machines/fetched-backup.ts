/**
 * A backup from an address: a tar archive of its folder, unpacked beside where it is needed. It holds the master secret, so it
 * comes over TLS, or from this machine, which is where an SSH tunnel ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { readNamedFile } from '../../data-dir/named-file.js';
import { JournalError, messageOf } from '../../errors.js';
import { UsageError } from '../frame/exit-codes.js';
import { type FetchedFolder, makeFetchedFolder } from './fetched-folder.js';

const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];
const OPEN_TO_OWNER = 0o700;

/** null for a folder of this machine. Throws a `UsageError` for an address that is not to be used. */
export function backupAddress(from: string): URL | null {
  if (!/^https?:\/\//i.test(from)) return null;
  if (!URL.canParse(from)) throw new UsageError(`--from: ${from} is no address`);
  const url = new URL(from);
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
    throw new UsageError(
      '--from: a backup has the master secret, so it comes over https://, or from 127.0.0.1 (an SSH tunnel)',
    );
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--from: the address has a password; put a token into a file, --token-file');
  return url;
}

/** Fetches and unpacks it on the disk of `beside`. Throws `backup_unreachable`. */
export async function fetchBackup(
  url: URL,
  tokenFile: string | null,
  beside: string,
): Promise<FetchedFolder> {
  const { folder, remove } = makeFetchedFolder(resolve(beside));
  try {
    await unpack(await answerOf(url, tokenFile), folder);
    return { folder, remove };
  } catch (thrown) {
    remove();
    if (thrown instanceof JournalError) throw thrown;
    throw unreachable(url, causeOf(thrown), thrown);
  }
}

async function answerOf(url: URL, tokenFile: string | null): Promise<Readable> {
  const headers = tokenFile === null ? {} : { Authorization: `Bearer ${tokenIn(tokenFile)}` };
  const response = await fetch(url, { headers, redirect: 'error' });
  if (response.status !== 200 || response.body === null)
    throw unreachable(url, `the answer is ${response.status}`);
  return Readable.fromWeb(response.body);
}

function tokenIn(file: string): string {
  const token = readNamedFile(file).trim();
  // What is no header would be told, with the token in it.
  if (!/^[!-~]+$/.test(token))
    throw new JournalError('file_unreadable', `${file} has no token: expected one word on one line.`);
  return token;
}

/** GNU tar takes no path out of the folder. */
async function unpack(archive: Readable, folder: string): Promise<void> {
  const umask = process.umask(0o777 & ~OPEN_TO_OWNER);
  const tar = spawn(
    'tar',
    ['--extract', '--file=-', '--no-same-owner', '--no-same-permissions', `--directory=${folder}`],
    {
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  process.umask(umask);
  const said = text(tar.stderr);
  // Where tar ends early it says why, and that is the reason to tell.
  const [[code], sent] = (await Promise.all([
    once(tar, 'close'),
    pipeline(archive, tar.stdin).then(
      () => null,
      (error: unknown) => error,
    ),
  ])) as [[number | null], unknown];
  if (code !== 0) throw new Error(`tar: ${(await said).trim()}`, { cause: sent });
  if (sent !== null) throw sent;
}

const unreachable = (url: URL, why: string, cause?: unknown): JournalError =>
  new JournalError(
    'backup_unreachable',
    `No backup could be had from ${url.origin}${url.pathname}: ${why}. It must be a tar archive of the backup's folder: tar -C BACKUP -cf backup.tar .`,
    { cause },
  );

/** `fetch failed` hides what failed. */
const causeOf = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.message === 'fetch failed' ? thrown.cause : thrown;
  return messageOf(cause ?? thrown);
};
