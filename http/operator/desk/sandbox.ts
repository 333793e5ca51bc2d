/** Pushed prices and the manual clock, on the engine's thread (design, section 8). */
import { must } from '../../../engine/base/assert.js';
import type { ManualRun } from '../../../engine/host/manual-run.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { PushFeed } from '../../../feeds/push-feed.js';
import type { AskOf, RefusedTick } from './dealings.js';
import { type Facts, facts } from './reply.js';
import type { Submitter } from './submitter.js';

export interface SandboxOptions {
  readonly sequencer: Sequencer;
  /** null if prices come from another feed. */
  readonly pushFeed: PushFeed | null;
  /** null if the clock is the system's. */
  readonly manualRun: ManualRun | null;
}

/** Each tick is checked on its own, in order, as from any feed. Nothing is waited for where none was taken. */
export function pushPrices(
  { sequencer, pushFeed }: SandboxOptions,
  { ticks }: AskOf<'pushPrices'>,
): Facts<readonly RefusedTick[]> {
  const feed = must(pushFeed, 'prices are pushed only where the feed takes them');
  const nowMs = sequencer.stampMs();
  const refused = ticks.flatMap(({ asset, price, timeMs }, index) => {
    const verdict = feed.offer(asset, price, timeMs ?? nowMs);
    return verdict.taken ? [] : [{ index, detail: verdict.detail }];
  });
  return facts(refused, refused.length === ticks.length ? 0 : 'all');
}

/** All the lifecycle work on the way is durable when the answer comes. */
export async function moveClock(
  { manualRun }: SandboxOptions,
  { advanceMs }: AskOf<'moveClock'>,
  submitter: Submitter,
): Promise<Facts<number>> {
  const run = must(manualRun, 'only a manual clock is moved');
  const timeMs = await run.advance(advanceMs, submitter.by);
  submitter.noteAll();
  return facts(timeMs, 'all');
}
