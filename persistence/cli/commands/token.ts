/** `tote token` and `tote tokens`: the named tokens of the operator API. */
import { existsSync } from 'node:fs';
import { Argument, InvalidArgumentError, Option } from 'commander';
import {
  FIRST_OPERATOR,
  isOperatorName,
  OPERATOR_NAME_FORM,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../../engine/model/operators.js';
import { exclusively, findHolder } from '../../data-dir/lock.js';
import { addOperatorToken, readOperatorTokens, removeOperatorToken } from '../../data-dir/operator-tokens.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';

interface TokenOptions {
  readonly role?: OperatorRole;
  readonly revoke?: boolean;
}

export const tokenCommand = defineCommand<TokenOptions, [name: string]>({
  details:
    'The token is shown once: the file keeps only its SHA-256, with name and role. The role "read" looks, "support" also ' +
    'changes accounts and keys, and "admin" does everything. A running server reads the file again on SIGHUP. The token ' +
    'that every server has, whose name is "operator", is not in it. TOTE_OPERATOR_TOKENS_FILE names another file than ' +
    'operator-tokens in the data directory.',
  examples: [
    ['token ann --role support', 'makes one and shows it'],
    ['token ann --revoke /var/lib/tote', 'takes it away, from the next SIGHUP or start on'],
  ],
  operands: [
    new Argument('<NAME>', 'who will have it: its actions are recorded with this name').argParser(parseName),
  ],
  options: [
    new Option('--role <role>', 'its rights').choices(OPERATOR_ROLES).conflicts('revoke'),
    new Option('--revoke', 'take it away'),
  ],
  needs: 'files',
  run: (context, { role, revoke: isRevoked = false }, [name]) => {
    const { out } = context;
    const path = fileOf(context);
    if (!isRevoked && role === undefined)
      throw new UsageError(`Say what it may do: --role ${OPERATOR_ROLES.join(', ')}.`);
    const createdAt = new Date().toISOString();
    // Each reads the file, and writes it as a whole.
    const secret = exclusively(context.dir, `${path}.lock`, () => {
      if (role !== undefined) return addOperatorToken(path, name, role, createdAt);
      removeOperatorToken(path, name);
      return null;
    });
    if (out.isJson) out.answer({ name, role: role ?? null, secret, file: path });
    else {
      if (secret !== null) out.line(secret);
      out.note(
        secret === null ? `${name} is revoked in ${path}.` : `${name} has the role ${role} in ${path}.`,
      );
      out.note(nextStep(context));
    }
    return EXIT.done;
  },
});

export const tokensCommand = defineCommand({
  details:
    'Checks the file as the server does, and shows who has a token, with which role, and since when. The tokens themselves ' +
    'are kept nowhere.',
  examples: [
    ['tokens', 'those of ./data'],
    ['tokens /var/lib/tote --json', 'those of another server, for a program'],
  ],
  needs: 'files',
  run: (context) => {
    const file = fileOf(context);
    // As for the server: a file that the environment names must be there.
    const mustExist = file !== context.dir.operatorTokensFile || !existsSync(context.dir.root);
    const found = readOperatorTokens(file, mustExist);
    context.out.answer({ file, tokens: found.map(({ digest: _, ...shown }) => shown) });
    return EXIT.done;
  },
});

function parseName(text: string): string {
  if (!isOperatorName(text)) throw new InvalidArgumentError(`Expected ${OPERATOR_NAME_FORM}.`);
  if (text === FIRST_OPERATOR)
    throw new InvalidArgumentError('That is the name of the token that every server has.');
  return text;
}

const fileOf = ({ dir }: Context): string =>
  process.env['TOTE_OPERATOR_TOKENS_FILE'] ?? dir.operatorTokensFile;

/** A server that runs on the directory goes on with the old file until it is told. */
function nextStep({ dir }: Context): string {
  const holder = findHolder(dir);
  if (holder === null) return 'The server reads it when it starts.';
  return `Let the running server read it: kill -HUP ${holder.pid ?? '<its process id>'}`;
}
