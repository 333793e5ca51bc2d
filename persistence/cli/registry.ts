/** All commands of `npx tote`, in the order in which the help lists them. */
import { accountCommand } from './account.js';
import { backupCommand } from './backup.js';
import { betCommand } from './bet.js';
import type { CliCommand } from './command.js';
import { exportCommand } from './export.js';
import { pruneCommand } from './prune.js';
import { replayCommand } from './replay.js';
import { restoreCommand } from './restore.js';
import { roundCommand } from './round.js';
import { snapshotCommand } from './snapshot.js';
import { statusCommand } from './status.js';
import { verifyCommand } from './verify.js';
import { verifyBetCommand } from './verify-bet.js';

export const COMMANDS: readonly CliCommand[] = [
  statusCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  snapshotCommand,
  pruneCommand,
  replayCommand,
  accountCommand,
  roundCommand,
  betCommand,
  exportCommand,
  verifyBetCommand,
];
