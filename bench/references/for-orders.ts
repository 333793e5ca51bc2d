/** The systems that durable orders are compared with, each in a directory of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/base/assert.js';
import { marketOf } from '../../engine/model/domain.js';
import type { ServerProcess } from '../host/server-process.js';
import { type Book, placed } from '../load/book.js';
import type { Target } from '../load/rows.js';
import type { SuiteOptions } from '../report/section.js';
import { expect } from '../tote/audit.js';
import { auditCommitted, expectAsLarge, startBare } from './bare.js';
import type { BareConfig } from './bare-config.js';
import { orderCommandBytes } from './commit-size.js';
import { hasRedis, redisKeys, redisSets, startRedis } from './redis.js';

export const BARE_COMMIT = 'bare POST + group commit';
export const BARE = 'bare POST';
export const REDIS = 'Redis SET';

export interface References {
  /** The group commit first, then the bare handler, and Redis if it is installed. */
  readonly targets: readonly Target[];
  /** Throws if one of them has lost what it acknowledged. The bare handler keeps nothing. */
  readonly audit: () => Promise<void>;
}

/** One of the references, and what throws if it has lost an answered order. */
interface Reference {
  readonly target: Target;
  readonly audit: () => void;
}

export async function startReferences(
  options: SuiteOptions,
  running: ServerProcess[],
  book: Book,
): Promise<References> {
  const { durability, cores, progress } = options;
  const committed = await startGroupCommit(options, running, book);
  const bare = await startPost(BARE, folderIn(options, 'bare'), null, options, running, book);
  const targets = [committed.target, bare];
  if (!hasRedis()) {
    progress('redis-server is not installed: its rows are missing');
    return { targets, audit: async () => committed.audit() };
  }
  const redis = await startRedis(folderIn(options, 'redis'), durability, cores.server);
  running.push(redis.process);
  const commandBytes = commandBytesOf(book);
  const sets = counted({ name: REDIS, ...redis, ...redisSets(commandBytes) });
  const audit = async (): Promise<void> => {
    committed.audit();
    expect('Redis: keys', await redisKeys(redis.port), sets.answered());
  };
  return { targets: [...targets, sets.target], audit };
}

/** The bare handler with group commit alone. */
export async function startGroupCommit(
  options: SuiteOptions,
  running: ServerProcess[],
  book: Book,
): Promise<Reference> {
  const dir = folderIn(options, 'bare-commit');
  const { durability } = options;
  const commit = { file: join(dir, 'journal.sqlite'), commandBytes: commandBytesOf(book), durability };
  const { target, answered } = counted(await startPost(BARE_COMMIT, dir, commit, options, running, book));
  // One more for the sample answer.
  return { target, audit: () => auditCommitted(commit, answered() + 1) };
}

async function startPost(
  name: string,
  dir: string,
  commit: BareConfig['commit'],
  { cores }: SuiteOptions,
  running: ServerProcess[],
  { templates, sample }: Book,
): Promise<Target> {
  const { process, port } = await startBare({ gets: [], post: sample, commit }, dir, cores.server);
  running.push(process);
  await expectAsLarge(port, must(templates[0], 'template').text, sample);
  return { name, process, port, templates, expectations: placed(false) };
}

function folderIn({ workDir }: SuiteOptions, name: string): string {
  const path = join(workDir, name);
  mkdirSync(path);
  return path;
}

const commandBytesOf = ({ markets, bettors }: Book): number =>
  orderCommandBytes(marketOf(must(markets[0], 'market').id), bettors.length);

/** A target whose answers are counted. */
function counted(target: Target): { readonly target: Target; readonly answered: () => number } {
  let answered = 0;
  const onResult: Target['onResult'] = ({ client }) => {
    answered += client.sent;
  };
  return { target: { ...target, onResult }, answered: () => answered };
}
