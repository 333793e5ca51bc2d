/** All commands of `npx tote`, in the order in which the help lists them. Only the one that runs is loaded. */
import type { CliCommand } from './frame/command.js';

export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CliCommand>;
}

export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'doctor',
    summary: 'check this machine and a configuration, and say what to do',
    load: async () => (await import('./commands/doctor.js')).doctorCommand,
  },
  {
    name: 'init',
    summary: "make a new data directory with the house's first money, for a server in production",
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    name: 'status',
    summary: 'sequence number, segments, snapshots, archive, sizes, who runs on it',
    load: async () => (await import('./commands/status.js')).statusCommand,
  },
  {
    name: 'verify',
    summary: 'check everything: journal, replay, snapshots, archive, books',
    load: async () => (await import('./commands/verify.js')).verifyCommand,
  },
  {
    name: 'backup',
    summary: 'copy a running or stopped server to BACKUP_DIR; again: only new files and rows',
    load: async () => (await import('./commands/backup.js')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'make a new data directory that ends at a chosen command or moment',
    load: async () => (await import('./commands/restore.js')).restoreCommand,
  },
  {
    name: 'snapshot',
    summary: 'write a snapshot of the present state (WRITES to the data directory)',
    load: async () => (await import('./commands/snapshot.js')).snapshotCommand,
  },
  {
    name: 'prune',
    summary: 'delete old segments and snapshots (DELETES in the data directory)',
    load: async () => (await import('./commands/prune.js')).pruneCommand,
  },
  {
    name: 'replay',
    summary: 'show the commands of the journal and what each did',
    load: async () => (await import('./commands/replay.js')).replayCommand,
  },
  {
    name: 'account',
    summary: 'show everything known about an account, with its ledger',
    load: async () => (await import('./commands/account.js')).accountCommand,
  },
  {
    name: 'round',
    summary: 'show everything known about a round: prices, pools, bets, payouts',
    load: async () => (await import('./commands/round.js')).roundCommand,
  },
  {
    name: 'bet',
    summary: 'show everything known about a bet, with its ledger entries',
    load: async () => (await import('./commands/bet.js')).betCommand,
  },
  {
    name: 'trace',
    summary: 'show how long each step took one of the last orders (asks the running server)',
    load: async () => (await import('./commands/trace.js')).traceCommand,
  },
  {
    name: 'export',
    summary: 'write bets, the ledger or rounds as CSV or JSON lines',
    load: async () => (await import('./commands/export.js')).exportCommand,
  },
  {
    name: 'verify-bet',
    summary: 'check a bet and its proof offline, from published data only',
    load: async () => (await import('./commands/verify-bet.js')).verifyBetCommand,
  },
  {
    name: 'promote',
    summary: 'let the standby NODE lead an exchange with a replicated journal',
    load: async () => (await import('./commands/lead.js')).promoteCommand,
  },
  {
    name: 'demote',
    summary: 'let the leader of an exchange with a replicated journal hand over',
    load: async () => (await import('./commands/lead.js')).demoteCommand,
  },
  {
    name: 'token',
    summary: 'make a named token of the operator API, or revoke one (CHANGES the file of tokens)',
    load: async () => (await import('./commands/token.js')).tokenCommand,
  },
  {
    name: 'tokens',
    summary: 'list the named tokens of the operator API',
    load: async () => (await import('./commands/token.js')).tokensCommand,
  },
  {
    name: 'rotate-signing-key',
    summary:
      'make a new key for the roots and settlements that the server signs (WRITES in the data directory)',
    load: async () => (await import('./commands/rotate-signing-key.js')).rotateSigningKeyCommand,
  },
];
