/** All commands of `npx tote`, in the order in which the help lists them. */
import type { CliCommand } from './command.js';

export const COMMANDS: readonly CliCommand[] = [];
