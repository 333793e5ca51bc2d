/** All commands of `npx tote`, in the order in which the help lists them. */
import { accountCommand } from './account.js';
import { betCommand } from './bet.js';
import type { CliCommand } from './command.js';
import { exportCommand } from './export.js';
import { replayCommand } from './replay.js';
import { roundCommand } from './round.js';
import { verifyBetCommand } from './verify-bet.js';

export const COMMANDS: readonly CliCommand[] = [
  replayCommand,
  accountCommand,
  roundCommand,
  betCommand,
  exportCommand,
  verifyBetCommand,
];
