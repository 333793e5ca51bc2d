/**
 * The definition of a command of `npx tote`: its help, its options and its work. The frame (`run.ts`) creates the
 * parser from all commands, opens the data directory and turns errors into exit codes.
 *
 * A new command is a file that exports `defineCommand({...})`, and its name in `registry.ts`.
 */
import type { Argument, Option } from 'commander';
import { type DataDir, dataDirLayout, findDataDir } from '../../data-dir/layout.js';
import { hasSegments } from '../../journal/segment/names.js';
import type { ExitCode } from './exit-codes.js';
import type { Output } from './output.js';

export interface Context {
  /** Exists, but may be damaged, read-only or in use. */
  readonly dir: DataDir;
  readonly out: Output;
}

/** The command line is after `npx tote`. */
export type Example = readonly [commandLine: string, purpose: string];

/** `Options` are the parsed options, by names in camelCase: `--to-seq` is `toSeq`. */
export interface CommandSpec<Options extends object> {
  readonly details: string;
  readonly examples: readonly Example[];
  /** Operands before DATA_DIR. All of them are required. */
  readonly operands?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly isPaged?: boolean;
  readonly worksWithoutJournal?: boolean;
  readonly run: (
    context: Context,
    options: Options,
    operands: readonly string[],
  ) => ExitCode | Promise<ExitCode>;
}

export interface FreeCommandSpec<Options extends object> extends Omit<CommandSpec<Options>, 'run'> {
  readonly run: (out: Output, options: Options, operands: readonly string[]) => ExitCode | Promise<ExitCode>;
}

/** Only the command itself knows the type of its options. */
export interface CliCommand extends Omit<CommandSpec<object>, 'run'> {
  readonly takesDataDir: boolean;
  readonly run: (
    out: Output,
    dataDir: string | undefined,
    options: object,
    operands: readonly string[],
  ) => ExitCode | Promise<ExitCode>;
}

export function defineCommand<Options extends object>(spec: CommandSpec<Options>): CliCommand {
  return {
    ...spec,
    takesDataDir: true,
    run: async (out, dataDir, options, operands) => {
      const path = dataDir ?? process.env['TOTE_DATA_DIR'] ?? './data';
      const dir = spec.worksWithoutJournal === true ? dataDirLayout(path) : await dataDirWithJournal(path);
      return spec.run({ dir, out }, options as Options, operands);
    },
  };
}

/** Throws `data_dir_invalid`, and `journal_incomplete` if only the journal is missing. */
export async function dataDirWithJournal(path: string): Promise<DataDir> {
  const dir = dataDirLayout(path);
  // Not imported above: it loads the engine, which not every command needs.
  if (!hasSegments(dir.journal))
    (await import('../../recovery/journal-gone.js')).refuseWithoutJournal(dir, {});
  return findDataDir(path);
}

export function defineFreeCommand<Options extends object>(spec: FreeCommandSpec<Options>): CliCommand {
  return {
    ...spec,
    takesDataDir: false,
    run: (out, _, options, operands) => spec.run(out, options as Options, operands),
  };
}
