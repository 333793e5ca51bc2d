/**
 * The definition of a command of `npx tote`: its help, its options and its work. The frame (`run.ts`) creates the
 * parser from all commands and turns errors into exit codes.
 *
 * A new command is a file that exports `defineCommand({...})`, and its name in `registry.ts`.
 */
import type { Argument, Option } from 'commander';
import { type DataDir, dataDirLayout, readableFolders } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { hasSegments } from '../../journal/segment/names.js';
import { requireSqlite } from '../../sqlite.js';
import { type ExitCode, UsageError } from './exit-codes.js';
import type { Output } from './output.js';
import { showReading } from './progress.js';

export interface Context {
  /** May be damaged, read-only or in use. */
  readonly dir: DataDir;
  readonly out: Output;
}

/** The command line is after `npx tote`. */
type Example = readonly [commandLine: string, purpose: string];

/** `Options` and `Operands` are parsed, options by names in camelCase: `--env-file` is `envFile`. */
interface CommandSpec<Options extends object, Operands extends readonly unknown[]> {
  readonly details: string;
  readonly examples: readonly Example[];
  /** Operands before DATA_DIR. All of them are required. */
  readonly operands?: readonly Argument[];
  readonly options?: readonly Option[];
  /** It prints no lists, but rows as they come. */
  readonly isRowByRow?: true;
  /** By default the data directory must have a journal; for `folder` any part of one. `files` opens no database. */
  readonly needs?: 'folder' | 'path' | 'files' | 'nothing';
  readonly run: (context: Context, options: Options, operands: Operands) => ExitCode | Promise<ExitCode>;
}

/** Only the command itself knows the types of its options and operands. */
export type CliCommand = CommandSpec<object, readonly unknown[]>;

export const defineCommand = <Options extends object, Operands extends readonly unknown[] = []>(
  spec: CommandSpec<Options, Operands>,
): CliCommand => ({
  ...spec,
  run: (context, options, operands) => spec.run(context, options as Options, operands as unknown as Operands),
});

/**
 * The directory that was named, else that of the environment. Throws `sqlite_unloadable`, `data_dir_invalid`, and
 * `journal_incomplete` if only the journal is missing.
 */
export async function dataDirFor({ needs }: CliCommand, named: string | undefined): Promise<DataDir> {
  if (needs !== 'files' && needs !== 'nothing') requireSqlite();
  const path = named ?? process.env['TOTE_DATA_DIR'] ?? './data';
  if (path === '' && needs !== 'nothing')
    throw new UsageError('DATA_DIR or TOTE_DATA_DIR is empty: name the data directory.');
  const dir = dataDirLayout(path);
  if (needs !== undefined && needs !== 'folder') return dir;
  showReading(dir.root);
  const folders = readableFolders(dir);
  const hasJournal = folders.includes(dir.journal) && hasSegments(dir.journal);
  // Not imported above: it loads the engine, which not every command needs.
  if (needs === undefined && !hasJournal)
    (await import('../../recovery/journal-gone.js')).refuseWithoutJournal(dir, {});
  if (hasJournal || (needs === 'folder' && folders.length > 0)) return dir;
  throw new JournalError(
    'data_dir_invalid',
    `There is no data directory at ${dir.root}: it has no folder journal, snapshots or archive, or nothing in them. Name one as DATA_DIR or in TOTE_DATA_DIR.`,
  );
}
