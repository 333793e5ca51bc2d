/** The systems that durable orders are compared with, each in a directory of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/base/assert.js';
import { marketOf } from '../../engine/model/domain.js';
import type { ServerProcess } from '../host/server-process.js';
import { type Book, placed } from '../load/book.js';
import type { Target } from '../load/rows.js';
import type { SuiteOptions } from '../report/section.js';
import { Acknowledged, expect } from '../tote/audit.js';
import { auditCommitted, expectAsLarge, startBare } from './bare.js';
import type { BareConfig } from './bare-config.js';
import { orderCommandBytes } from './commit-size.js';
import { hasRedis, redisKeys, redisSets, startRedis } from './redis.js';
import { auditUsual, startUsual, type UsualServer } from './usual.js';

export const BARE_COMMIT = 'bare POST + group commit';
export const BARE = 'bare POST';
export const REDIS = 'Redis SET';
export const USUAL = 'Fastify + better-sqlite3';

export interface References {
  /** The group commit first, then the bare handler, the usual way, and Redis if it is installed. */
  readonly targets: readonly Target[];
  /** Throws if one of them has lost what it acknowledged. The bare handler keeps nothing. */
  readonly audit: () => Promise<void>;
}

export async function startReferences(
  { durability, cores, workDir, progress }: SuiteOptions,
  running: ServerProcess[],
  book: Book,
): Promise<References> {
  const folder = (name: string): string => {
    const path = join(workDir, name);
    mkdirSync(path);
    return path;
  };
  const commandBytes = orderCommandBytes(marketOf(must(book.markets[0], 'market').id), book.bettors.length);
  const { templates, sample } = book;
  const bare = async (name: string, dir: string, commit: BareConfig['commit']): Promise<Target> => {
    const { process, port } = await startBare({ gets: [], post: sample, commit }, dir, cores.server);
    running.push(process);
    await expectAsLarge(port, must(templates[0], 'template').text, sample);
    return { name, process, port, templates, expectations: placed(false) };
  };
  const commitDir = folder('bare-commit');
  const commit = { file: join(commitDir, 'journal.sqlite'), commandBytes, durability };
  const usualDir = folder('usual');
  const onCore = { durability, core: cores.server };
  const started = await startUsual(book.bettors, book.markets, book.sample, usualDir, onCore);
  running.push(started.process);
  const usual = usualTarget(started, book);
  const committed = counted(await bare(BARE_COMMIT, commitDir, commit));
  const targets = [committed.target, await bare(BARE, folder('bare'), null), usual.target];
  const auditFiles = (): void => {
    usual.audit();
    // One more for the sample answer.
    auditCommitted(commit, committed.answered() + 1);
  };
  if (!hasRedis()) {
    progress('redis-server is not installed: its rows are missing');
    return { targets, audit: async () => auditFiles() };
  }
  const redis = await startRedis(folder('redis'), durability, cores.server);
  running.push(redis.process);
  const sets = counted({ name: REDIS, ...redis, ...redisSets(commandBytes) });
  const audit = async (): Promise<void> => {
    auditFiles();
    expect('Redis: keys', await redisKeys(redis.port), sets.answered());
  };
  return { targets: [...targets, sets.target], audit };
}

/** A target whose answers are counted. */
function counted(target: Target): { readonly target: Target; readonly answered: () => number } {
  let answered = 0;
  const onResult: Target['onResult'] = ({ client }) => {
    answered += client.sent;
  };
  return { target: { ...target, onResult }, answered: () => answered };
}

function usualTarget({ process, port, file }: UsualServer, { bettors, templates }: Book) {
  const acknowledged = new Acknowledged();
  const target: Target = {
    ...{ name: USUAL, process, port, templates, expectations: placed(true) },
    onResult: ({ client }) =>
      acknowledged.add(client, templates, (at) => must(bettors[at % bettors.length], 'bettor')),
  };
  return { target, audit: () => auditUsual(file, bettors, acknowledged) };
}
