/** All commands of `npx tote`, in the order in which the help lists them. */
import { accountCommand } from './commands/account.js';
import { backupCommand, standbyCommand } from './commands/backup.js';
import { betCommand } from './commands/bet.js';
import { doctorCommand } from './commands/doctor.js';
import { exportCommand } from './commands/export.js';
import { demoteCommand, promoteCommand } from './commands/lead.js';
import { pruneCommand } from './commands/prune.js';
import { replayCommand } from './commands/replay.js';
import { restoreCommand } from './commands/restore.js';
import { rotateSigningKeyCommand } from './commands/rotate-signing-key.js';
import { roundCommand } from './commands/round.js';
import { snapshotCommand } from './commands/snapshot.js';
import { statusCommand } from './commands/status.js';
import { tokenCommand, tokensCommand } from './commands/token.js';
import { verifyCommand } from './commands/verify.js';
import { verifyBetCommand } from './commands/verify-bet.js';
import type { CliCommand } from './frame/command.js';

export const COMMANDS: readonly CliCommand[] = [
  doctorCommand,
  statusCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  standbyCommand,
  snapshotCommand,
  pruneCommand,
  replayCommand,
  accountCommand,
  roundCommand,
  betCommand,
  exportCommand,
  verifyBetCommand,
  promoteCommand,
  demoteCommand,
  tokenCommand,
  tokensCommand,
  rotateSigningKeyCommand,
];
