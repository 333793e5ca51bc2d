/**
 * Permissions at the operator port. A caller has a name, which stands beside everything that it does, and one of three
 * roles; each may do what the ones before it may. An action's route names the role that it needs. The journal has the
 * commands of operators; the archive, for `GET /audit`, has a row for each of them, and one for each kind of refusal.
 */
import type { Command, CommandKind } from './commands.js';
import type { RuleValue } from './rules.js';

/** `read` looks, `support` helps bettors with their accounts, `admin` moves money and controls trading. */
export const OPERATOR_ROLES = ['read', 'support', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The sender of a request, proven by a token, or by a session that a token has opened. */
export interface OperatorCaller {
  readonly name: string;
  readonly role: OperatorRole;
}

/** Never the token itself. */
export interface OperatorToken extends OperatorCaller {
  /** SHA-256 of the token, 64 hex digits. */
  readonly digest: string;
}

/** The caller with the token that every server has; no other token may have this name. */
export const FIRST_OPERATOR = 'operator';

/** Kinds of commands that name the operator who sent them. */
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

export const mayDo = (has: OperatorRole, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(has) >= OPERATOR_ROLES.indexOf(needed);

export const firstToken = (digest: string): OperatorToken => ({
  name: FIRST_OPERATOR,
  role: 'admin',
  digest,
});

/** Also of the token in the server's file. */
export const OPERATOR_TOKEN_FORM = '16 to 255 visible ASCII characters';

export const isOperatorToken = (text: string): boolean => /^[\x21-\x7e]{16,255}$/.test(text);

/** Requests of one caller to one route, refused because the role was not enough. */
export interface Denial {
  readonly operator: string;
  readonly role: OperatorRole;
  /** Method and path, without the values that a client put into them. */
  readonly route: string;
  readonly times: number;
}

/** Requests with tokens that nobody has. */
export interface Guesses {
  readonly wrong: number;
  /** Requests refused unseen, because their address had guessed too often. */
  readonly refused: number;
  /** The first few. */
  readonly addresses: readonly string[];
}

export interface Refusals {
  readonly denials: readonly Denial[];
  readonly guesses: Guesses | null;
}

/** Refused until then, for the archive. */
export interface RefusedAt extends Refusals {
  readonly seq: number;
  readonly timeMs: number;
}

/** Commands that operators send, and what was refused: a role that was not enough, or a token that nobody has. */
export const ACTION_KINDS = [...OPERATOR_KINDS, 'roleDenied', 'tokenRefused'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

const ACTIONS: ReadonlySet<CommandKind> = new Set<CommandKind>(OPERATOR_KINDS);

/** A server that stops moves the clock by itself. */
export const isOperatorCommand = (command: Command): command is OperatorCommand =>
  ACTIONS.has(command.kind) && (command.kind !== 'moveClock' || command.by !== undefined);

/** Item 0 is the command itself; a refusal comes after the command, with an item from 1. */
interface ActionPlace {
  readonly seq: number;
  readonly item: number;
}

/** A rule that has another value than before; null is the default's. */
export interface ChangedRule {
  readonly name: string;
  readonly from: RuleValue['value'] | null;
  readonly to: RuleValue['value'] | null;
}

/** A command's fields are in its text form (`command-codec.ts`). */
export interface ActionFields extends Partial<Omit<Denial, 'operator'> & Guesses> {
  /** '' where none was given. */
  readonly reason: string;
  readonly account?: number;
  readonly key?: number;
  /** The account or key that the action made. */
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
  /** The rules file, and the operators' changes to it, from this command on. */
  readonly file?: readonly RuleValue[];
  readonly changes?: readonly RuleValue[];
}

export interface ActionView extends ActionPlace {
  readonly timeMs: number;
  readonly kind: ActionKind;
  /** null where the server acted of itself, and for tokens that nobody has. */
  readonly operator: string | null;
  readonly facts: ActionFields;
  /** Rules that are not as before. Empty for any other action. */
  readonly changed: readonly ChangedRule[];
}

/** Newest first. */
export interface ActionsQuestion {
  readonly kind: 'actions';
  readonly reachedSeq: number;
  /** Only actions before this one; null for all. */
  readonly before: ActionPlace | null;
  readonly operator: string | null;
  readonly action: ActionKind | null;
  /** Only actions at or after, and before, these times; null for any. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
}

export interface ActionsAnswer {
  readonly actions: readonly ActionView[];
  /** The next question's `before`; null if there are no older ones. */
  readonly nextBefore: ActionPlace | null;
}

/** Each ends when: the engine's thread took the order; its batch went to the journal; the disk had it; the replicated log, too; it was answered. */
export type TraceStage = 'gateway' | 'engine' | 'commit' | 'replicated' | 'answered';

export interface OrderTrace {
  readonly betId: string;
  readonly sequence: number;
  readonly accountId: string;
  /** null for an order of a stream. */
  readonly requestId: string | null;
  readonly receivedAt: string;
  /** In order. `atMs` is the stage's end, in milliseconds since the order was received. */
  readonly stages: readonly { readonly stage: TraceStage; readonly tookMs: number; readonly atMs: number }[];
  readonly totalMs: number;
}
