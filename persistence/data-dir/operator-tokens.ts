/**
 * The file of named operator tokens: one line of JSON each, with name, role, the SHA-256 of the token and when it was made.
 * Tokens are 256 random bits, so that their digest gives nothing to guess from. Lines that begin with `#` are comments.
 *
 * The server reads it when it starts and again on SIGHUP; `npx tote token` writes it. A file with any mistake is refused as
 * a whole: half of it could be without the line that was meant to take a right away.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import typia, { type tags } from 'typia';
import { keyDigest } from '../../crypto/api-keys.js';
import { messageOf, parsedJson } from '../../engine/base/attempt.js';
import {
  FIRST_OPERATOR,
  firstToken,
  isOperatorName,
  OPERATOR_NAME_FORM,
  OPERATOR_ROLES,
  type OperatorRole,
  type OperatorToken,
} from '../../engine/model/operators.js';
import { JournalError } from '../errors.js';
import { ifThere, writeFileDurably } from './files.js';
import type { DataDir } from './layout.js';
import { openOperatorToken } from './secrets.js';

const TOKEN_BYTES = 32;
const OTHERS_WRITE = 0o022;
/** Each request is compared with every token. */
const TOKENS_MAX = 1_000;
/** A file that is something else altogether would have many. */
const MISTAKES_SHOWN_MAX = 10;

interface NamedToken extends OperatorToken {
  readonly createdAt: string;
}

/** Lets secret scanners find tokens, and sets them apart from the keys of bettors. */
const newSecret = (): string => `toteop_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

interface TokenSources {
  readonly dir: DataDir;
  /** From the environment; takes the place of the one in the directory. */
  readonly token: string | null;
  /** From the environment: must exist. The directory's own may be missing. */
  readonly file: string | null;
}

/**
 * The first token and those of the file. A missing first token is made by a start alone (`mayCreate`): one made under a
 * running server would silently shut out whoever has the old one. Throws `secret_invalid` and `operator_tokens_invalid`.
 */
export function openOperatorTokens(
  { dir, token, file }: TokenSources,
  mayCreate = true,
): readonly OperatorToken[] {
  const first = firstToken(keyDigest(token ?? openOperatorToken(dir, mayCreate)));
  const named = readOperatorTokens(file ?? dir.operatorTokensFile, file !== null);
  return [first, ...named.map(({ name, role, digest }) => ({ name, role, digest }))];
}

/** Throws `operator_tokens_invalid` with the line of each mistake. */
export function readOperatorTokens(path: string, mustExist: boolean): readonly NamedToken[] {
  const text = readTokensText(path);
  if (text === null) {
    if (!mustExist) return [];
    throw invalid(path, ['is missing']);
  }
  const mistakes: string[] = [];
  const tokens: NamedToken[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const token = readLine(line, tokens, (mistake) => mistakes.push(`line ${index + 1}: ${mistake}`));
    if (token !== null) tokens.push(token);
  }
  if (tokens.length > TOKENS_MAX)
    mistakes.push(`has ${tokens.length} tokens; at most ${TOKENS_MAX} are taken`);
  if (mistakes.length > 0) throw invalid(path, mistakes);
  return tokens;
}

/** Returns the token's secret, which is kept nowhere. Throws `file_exists`, and `operator_tokens_invalid` if the file is full. */
export function addOperatorToken(path: string, name: string, role: OperatorRole, createdAt: string): string {
  const secret = newSecret();
  const found = readOperatorTokens(path, false);
  if (found.some((token) => token.name === name)) {
    throw new JournalError(
      'file_exists',
      `There is a token with the name ${name} already, and it was left as it is. Revoke it first, or take another name.`,
    );
  }
  if (found.length >= TOKENS_MAX)
    throw invalid(path, [`has ${found.length} tokens, and no more are taken; revoke one first`]);
  const text = readTokensText(path) ?? '';
  const line = JSON.stringify({ name, role, sha256: keyDigest(secret), createdAt });
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  writeFileDurably(path, `${text}${end}${line}\n`);
  return secret;
}

export function removeOperatorToken(path: string, name: string): void {
  const isHere = readOperatorTokens(path, false).some((token) => token.name === name);
  if (!isHere) throw new JournalError('not_found', `There is no token with the name ${name} in ${path}.`);
  const lines = (readTokensText(path) ?? '').split('\n');
  const kept = lines.filter((line) => line.trim() === '' || line.startsWith('#') || nameIn(line) !== name);
  writeFileDurably(path, kept.join('\n'));
}

const nameIn = (line: string): unknown => (JSON.parse(line) as Record<string, unknown>)['name'];

function readTokensText(path: string): string | null {
  const refusal = (thrown: unknown): JournalError => invalid(path, [`cannot be read: ${messageOf(thrown)}`]);
  const mode = ifThere(() => statSync(path).mode, refusal);
  if (mode === null) return null;
  if ((mode & OTHERS_WRITE) === 0) return ifThere(() => readFileSync(path, 'utf8'), refusal);
  throw invalid(path, [`may be written by other users; run: chmod 600 '${path}'`]);
}

/** Values are not shown: one may be a secret in the wrong place. */
const LINE_FORM = `must be {"name": ${OPERATOR_NAME_FORM}, "role": ${OPERATOR_ROLES.join(', ')}, "sha256": 64 hex digits in lower case, "createdAt": an ISO 8601 date-time}`;

interface TokenLine {
  readonly name: string;
  readonly role: OperatorRole;
  readonly sha256: string & tags.Pattern<'^[0-9a-f]{64}$'>;
  readonly createdAt: string & tags.Format<'date-time'>;
}

const isTokenLine = typia.createEquals<TokenLine>();

/** null after a mistake. */
function readLine(
  line: string,
  before: readonly NamedToken[],
  refuse: (mistake: string) => void,
): NamedToken | null {
  const value = parsedJson(line);
  if (!isTokenLine(value) || !isOperatorName(value.name)) refuse(LINE_FORM);
  else if (value.name === FIRST_OPERATOR)
    refuse(`"${value.name}" is the name of the token that every server has`);
  else if (before.some(({ name, digest }) => name === value.name || digest === value.sha256))
    refuse('its name or digest stands on an earlier line, too');
  else return { name: value.name, role: value.role, digest: value.sha256, createdAt: value.createdAt };
  return null;
}

function invalid(path: string, mistakes: readonly string[]): JournalError {
  const shown = mistakes.slice(0, MISTAKES_SHOWN_MAX).join('; ');
  const more = mistakes.length - MISTAKES_SHOWN_MAX;
  return new JournalError(
    'operator_tokens_invalid',
    `The file of operator tokens ${path}: ${shown}${more > 0 ? `; and ${more} more` : ''}.`,
  );
}
