/**
 * Who may do what at the operator port. A caller has a name, which stands beside everything that it does, and one of three
 * roles. Each role may do what the ones before it may. Which role an action needs is said by its route.
 *
 * What operators have done, and what was refused, is listed by `GET /audit`. The journal has what they have done, as commands;
 * the archive has a row for each of them, and one for each kind of refused request.
 */
import type { Command, CommandKind } from './commands.js';
import type { RuleValue } from './rules.js';

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

/** Requests of one caller to one route, refused because the role was not enough. */
export interface Denial {
  /** Name and role of the caller. */
  readonly operator: string;
  readonly role: OperatorRole;
  /** Method and path of the route, without what a client put into it. */
  readonly route: string;
  readonly times: number;
}

/** Requests with tokens that nobody has. */
export interface Guesses {
  readonly wrong: number;
  /** Requests refused unseen, because their address had guessed too often. */
  readonly refused: number;
  /** The first few addresses they came from. */
  readonly addresses: readonly string[];
}

export interface Refusals {
  readonly denials: readonly Denial[];
  /** Requests that are not among the denials: of those there are only so many different ones. */
  readonly others: number;
  readonly guesses: Guesses | null;
}

/** What was refused until then, for the archive. */
export interface RefusedAt extends Refusals {
  /** The last command before. */
  readonly seq: number;
  readonly timeMs: number;
}

/** Commands that operators send, and what was refused: a role that was not enough, or a token that nobody has. */
export const ACTION_KINDS = [...OPERATOR_KINDS, 'roleDenied', 'tokenRefused'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

const ACTIONS: ReadonlySet<CommandKind> = new Set<CommandKind>(OPERATOR_KINDS);

export const isOperatorCommand = (command: Command): command is OperatorCommand => ACTIONS.has(command.kind);

/** Its place among all: item 0 is the command itself; a refusal comes after the command, with an item from 1. */
export interface ActionPlace {
  readonly seq: number;
  readonly item: number;
}

/** A rule that has another value than before; null is the default's. */
export interface ChangedRule {
  readonly name: string;
  readonly from: RuleValue['value'] | null;
  readonly to: RuleValue['value'] | null;
}

/** Fields of the command, in its text form (`command-codec.ts`); of a refusal those of `Denial` or `Guesses`. */
export interface ActionFields {
  /** '' where none was given. */
  readonly reason: string;
  readonly account?: number;
  readonly key?: number;
  /** The number of the account or key that it made. */
  readonly made?: number;
  readonly market?: string;
  readonly roundNumber?: number;
  readonly asset?: string;
  readonly name?: string | null;
  readonly tier?: string | null;
  readonly frozen?: boolean | null;
  readonly balanceCents?: number;
  readonly amountCents?: number;
  readonly reference?: string;
  readonly scopesMask?: number;
  readonly expiresAtMs?: number | null;
  readonly overlapEndsMs?: number;
  readonly enabled?: boolean;
  readonly suspended?: boolean;
  readonly price?: number;
  /** What the rules file said, and what operators had changed of that, from this command on. */
  readonly file?: readonly RuleValue[];
  readonly changes?: readonly RuleValue[];
  readonly role?: OperatorRole;
  readonly route?: string;
  readonly times?: number;
  readonly wrong?: number;
  readonly refused?: number;
  readonly addresses?: readonly string[];
}

export interface ActionView extends ActionPlace {
  readonly timeMs: number;
  readonly kind: ActionKind;
  /** null where the server acted of itself, and for tokens that nobody has. */
  readonly operator: string | null;
  readonly facts: ActionFields;
  /** Of new rules: what is not as before. Empty for any other action. */
  readonly changed: readonly ChangedRule[];
}

/** Actions, newest first. */
export interface ActionsQuestion {
  readonly kind: 'actions';
  readonly reachedSeq: number;
  /** Only actions before this one; null for all. */
  readonly before: ActionPlace | null;
  /** null for any. */
  readonly operator: string | null;
  readonly action: ActionKind | null;
  /** Only actions at or after, and before, these times; null for any. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
}

export interface ActionsAnswer {
  readonly actions: readonly ActionView[];
  /** To be asked for next, as `before`; null if there are no older ones. */
  readonly nextBefore: ActionPlace | null;
}
