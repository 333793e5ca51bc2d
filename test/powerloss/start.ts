/**
 * Starts the real program after a power loss: it must serve, bring its archive up to date, stop cleanly, and leave
 * files in which `npx tote verify` finds nothing wrong.
 */
import assert from 'node:assert/strict';
import type { Status } from '../../http/operator/queries/status.js';
import { toteText } from '../support/processes/cli.js';
import { Server } from '../support/processes/server.js';
import { hasCaughtUp, statusWhere } from '../support/processes/status.js';

export async function checkStart(
  path: string,
  acknowledgedSeq: number,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const server = await Server.start({ dataDir: path, env });
  try {
    // The archive is written beside the work.
    const { durableSequence } = await statusWhere(server, isFollowing);
    assert.ok(
      durableSequence >= acknowledgedSeq,
      `${acknowledgedSeq} was acknowledged, ${durableSequence} is there`,
    );
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /"level":[56]0/, 'no error in the log');
    await toteText(['verify', path]);
  } finally {
    await server.kill();
  }
}

function isFollowing(status: Status): boolean {
  assert.notEqual(status.shadow.state, 'failed', JSON.stringify(status.shadow));
  return hasCaughtUp(status);
}
