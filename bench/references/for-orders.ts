/** The systems that durable orders are compared with, each on a directory of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/assert.js';
import { marketOf } from '../../engine/domain.js';
import type { ServerProcess } from '../host/server-process.js';
import type { Target } from '../load-rows.js';
import type { SuiteOptions } from '../section.js';
import { type Book, placed } from '../tote/book.js';
import { type BareServer, startBare } from './bare.js';
import { orderCommandBytes } from './commit-size.js';
import { hasRedis, redisSets, startRedis } from './redis.js';

export const BARE_COMMIT = 'bare POST + group commit';
export const BARE = 'bare POST';
export const REDIS = 'Redis SET';

/** The group commit first, then the bare handler, then Redis where it is installed. */
export async function startReferences(
  { durability, cores, workDir, progress }: SuiteOptions,
  running: ServerProcess[],
  book: Book,
  accounts: number,
): Promise<Target[]> {
  const folder = (name: string): string => {
    const path = join(workDir, name);
    mkdirSync(path);
    return path;
  };
  const commandBytes = orderCommandBytes(marketOf(must(book.markets[0], 'market').id), accounts);
  const bare = (name: string, { process, port }: BareServer): Target => {
    running.push(process);
    return { name, process, port, templates: book.templates, expectations: placed(false) };
  };
  const served = { gets: [], post: book.sample };
  const commitDir = folder('bare-commit');
  const commit = { file: join(commitDir, 'journal.sqlite'), commandBytes, durability };
  const targets = [
    bare(BARE_COMMIT, await startBare({ ...served, commit }, commitDir, cores.server)),
    bare(BARE, await startBare({ ...served, commit: null }, folder('bare'), cores.server)),
  ];
  if (!hasRedis()) {
    progress('redis-server is not installed: its rows are missing');
    return targets;
  }
  const redis = await startRedis(folder('redis'), durability, cores.server);
  running.push(redis.process);
  return [...targets, { name: REDIS, ...redis, ...redisSets(commandBytes) }];
}
