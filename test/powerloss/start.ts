/**
 * Starts the real program on what a power loss left: it must serve, bring its archive up to the journal by itself, stop
 * cleanly, and leave files in which `npx tote verify` finds nothing wrong.
 */
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { Server } from '../support/server.js';
import { checkFiles } from '../torture/check-files.js';

interface Status {
  readonly durableSequence: number;
  readonly shadow: { readonly state: string; readonly archiveSequence: number };
}

const CAUGHT_UP_WITHIN_MS = 60_000;

/** Rejects, saying why, where one of these is not so. The image at `path` stays. */
export async function checkStart(
  path: string,
  acknowledgedSeq: number,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const server = await Server.start({ dataDir: path, env });
  try {
    const { durableSequence } = await caughtUp(server);
    assert.ok(
      durableSequence >= acknowledgedSeq,
      `${acknowledgedSeq} was acknowledged, ${durableSequence} is there`,
    );
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /"level":[56]0/, 'no error in the log');
    checkFiles(path);
  } finally {
    await server.kill();
  }
}

/** Resolves once the archive has all that the journal has: it is written beside the work. */
async function caughtUp(server: Server): Promise<Status> {
  const untilMs = performance.now() + CAUGHT_UP_WITHIN_MS;
  for (;;) {
    const { data } = await server.operator.get<Status>('/status');
    const { state, archiveSequence } = data.shadow;
    if (state === 'following' && archiveSequence === data.durableSequence) return data;
    assert.notEqual(state, 'failed', JSON.stringify(data.shadow));
    assert.ok(performance.now() < untilMs, `the archive follows the journal: ${JSON.stringify(data.shadow)}`);
    await after(20);
  }
}
