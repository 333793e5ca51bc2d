/**
 * Who may do what at the operator port. A caller has a name, which stands beside everything that it does, and one of three
 * roles. Each role may do what the ones before it may. Which role an action needs is said by its route.
 */
import type { Command, CommandKind, Timed } from './commands.js';

/** From the least: who looks, who helps bettors with their accounts, and who moves money and controls trading. */
export const OPERATOR_ROLES = ['read', 'support', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Who sends a request to the operator port, however that was proven: by a token, or by what a token has opened. */
export interface OperatorCaller {
  readonly name: string;
  readonly role: OperatorRole;
}

/** What is kept of a token: never the token itself. */
export interface OperatorToken extends OperatorCaller {
  /** SHA-256 of the token, 64 hex digits. */
  readonly digest: string;
}

/** The name of whoever has the one token that every server has; no other token may have it. */
export const FIRST_OPERATOR = 'operator';

/** Who had something done at the operator port, and why. */
export interface By {
  /** The caller's name. */
  readonly operator: string;
  /** '' if none was given. */
  readonly reason: string;
}

/** Commands that operators send. */
export interface Operated extends Timed {
  /** Absent where the server acts of itself, and in journals from before operators had names. For the record only. */
  readonly by?: By;
}

/** Kinds of commands that say who sent them, if an operator did. */
export const OPERATOR_KINDS = [
  'configure',
  'confirmPrice',
  'createAccount',
  'updateAccount',
  'deposit',
  'withdraw',
  'depositHouse',
  'withdrawHouse',
  'createKey',
  'updateKey',
  'expireKey',
  'rotateKey',
  'setTrading',
  'suspendMarket',
  'voidRound',
  'moveClock',
] as const satisfies readonly CommandKind[];

export type OperatorCommand = Extract<Command, { readonly kind: (typeof OPERATOR_KINDS)[number] }>;

export const OPERATOR_NAME_FORM =
  '1 to 64 letters, digits, ".", "_", "@" or "-", beginning with a letter or digit';

export const isOperatorName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(text);

/** Whether a caller with the role `has` may do what needs the role `needed`. */
export const mayDo = (has: OperatorRole, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(has) >= OPERATOR_ROLES.indexOf(needed);

/** The one token that every server has: the caller `operator` with the role admin. */
export const firstToken = (digest: string): OperatorToken => ({
  name: FIRST_OPERATOR,
  role: 'admin',
  digest,
});

/** The form of the token that every server has, whether it comes from the environment or its file. */
export const OPERATOR_TOKEN_FORM = '16 to 255 visible ASCII characters';

export const isOperatorToken = (text: string): boolean => /^[\x21-\x7e]{16,255}$/.test(text);
