/**
 * The operators' command line, `npx tote <command> [DATA_DIR] [options]`: creates the parser from the registry, runs
 * one command and turns whatever is thrown into a sentence on stderr and an exit code. It uses no state of the process,
 * so that a program can run many commands.
 */
import { readFileSync } from 'node:fs';
import { Argument, Command, CommanderError, Option } from 'commander';
import { attempt, messageOf } from '../../engine/base/attempt.js';
import { isOfFile, JournalError } from '../errors.js';
import { type CliCommand, dataDirFor } from './frame/command.js';
import { EXIT, EXIT_CODES_HELP, type ExitCode, exitCodeOf, UsageError } from './frame/exit-codes.js';
import { LIMIT_OPTION } from './frame/options.js';
import { Output, ReaderGone, type Streams } from './frame/output.js';
import { clearProgress } from './frame/progress.js';
import { COMMANDS, type ListedCommand } from './registry.js';

const DATA_DIR_HELP = 'the data directory (default: TOTE_DATA_DIR, else ./data)';

/** Throws only programming errors of the frame. */
export async function run(words: readonly string[], streams: Streams): Promise<ExitCode> {
  const args = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  let exitCode: ExitCode = EXIT.done;
  try {
    const parser = await buildParser(args[0], streams, (code) => {
      exitCode = code;
    });
    await parser.parseAsync(args, { from: 'user' });
  } catch (thrown) {
    // The parser prints help and schemas, whose reader may leave early, too (`| head -1`).
    if (thrown instanceof ReaderGone) return EXIT.done;
    // The parser has reported it already, with the nearest name if there is one.
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  return exitCode;
}

type Finish = (exitCode: ExitCode) => void;

/** Only the command `chosen` is loaded: for the others the list has enough for help and suggestions. */
async function buildParser(chosen: string | undefined, streams: Streams, finish: Finish): Promise<Command> {
  const program = new Command('tote')
    .description('Looks into, verifies, copies and restores the data directory of a tote server.')
    .usage('<command> [operands] [DATA_DIR] [options]')
    .version(version(), '--version', 'print the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => streams.stdout(Buffer.from(text)),
      writeErr: (text) => streams.stderr(text),
    })
    .addHelpText('after', '\n"npx tote <command> --help" has examples of each.')
    .addHelpText('afterAll', `\n${EXIT_CODES_HELP}`);
  for (const listed of COMMANDS) {
    const command = program.command(listed.name).summary(listed.summary);
    if (listed.name === chosen) define(command, listed, await listed.load(), streams, finish);
  }
  return program;
}

function version(): string {
  const packageFile = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(packageFile) as { version: string }).version;
}

function define(
  command: Command,
  { name, summary }: ListedCommand,
  spec: CliCommand,
  streams: Streams,
  finish: Finish,
): void {
  const { operands = [], options = [] } = spec;
  command.description(`${summary}\n\n${spec.details}`).allowExcessArguments(false);
  for (const operand of operands) command.addArgument(operand);
  if (spec.needs !== 'nothing') command.addArgument(new Argument('[DATA_DIR]', DATA_DIR_HELP));
  for (const option of options) command.addOption(option);
  command.addOption(new Option('--json', 'print the result as JSON'));
  if (spec.isRowByRow !== true) command.addOption(LIMIT_OPTION);
  command.addHelpText('after', `\n${examplesText(spec)}`);
  command.action(async () => {
    const values = command.opts<{ json?: boolean; limit?: number }>();
    const { json = false, limit = Number.POSITIVE_INFINITY } = values;
    const out = new Output(json, streams, limit);
    finish(await runCommand(name, spec, out, command.processedArgs, values));
  });
}

function examplesText({ examples }: CliCommand): string {
  const lines = examples.map(([commandLine, purpose]) => `  npx tote ${commandLine}\n      ${purpose}`);
  return `Examples:\n${lines.join('\n')}`;
}

/** Reports an error on stderr, and with `--json` also on stdout, so that a program gets an answer in any case. */
async function runCommand(
  name: string,
  spec: CliCommand,
  out: Output,
  args: readonly unknown[],
  options: object,
): Promise<ExitCode> {
  const { length } = spec.operands ?? [];
  try {
    const dataDir = args[length] as string | undefined;
    const context = { out, dir: await dataDirFor(spec, dataDir) };
    const exitCode = await spec.run(context, options, args.slice(0, length));
    out.flush();
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof ReaderGone) return EXIT.done;
    const isKnown = thrown instanceof JournalError || thrown instanceof UsageError;
    // The code is null for errors of the operating system or SQLite, and for programming errors.
    const error = { code: isKnown ? thrown.code : null, message: messageOf(thrown) };
    // Stdout may be at fault itself.
    if (out.isJson)
      attempt(() => {
        out.line(JSON.stringify({ error }));
        out.flush();
      }, null);
    const reason =
      isKnown || isOfFile(thrown) || !(thrown instanceof Error) ? messageOf(thrown) : thrown.stack;
    out.note(`tote ${name}: ${reason}`);
    return exitCodeOf(thrown);
  } finally {
    clearProgress();
  }
}
