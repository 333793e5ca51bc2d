/**
 * The endpoint that lists the actions of operators, done and refused, newest first. The archive has all of them; the
 * engine's thread only says how far it must have come.
 */
import typia from 'typia';
import { isoOrNull, isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import { accountId, keyId, marketOf, roundId, type Scope, scopesOf } from '../../engine/model/domain.js';
import {
  ACTION_KINDS,
  type ActionFields,
  type ActionKind,
  type ActionsQuestion,
  type ActionView,
  type ChangedRule,
  isOperatorName,
  type OperatorRole,
} from '../../engine/model/operators.js';
import { eventsCursor, eventsQuery } from '../api/lists/archive-queries.js';
import { markOf } from '../kit/cursor.js';
import { readArchive, refuseInvalid } from '../kit/refused.js';
import { ARCHIVE_CODES, type Call, type Declared, PAGED, page } from './endpoint.js';

export const AUDIT_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/audit',
    id: 'listActions',
    summary: 'Actions of operators, done and refused, newest first',
    parameters: ['operator', 'action', 'from', 'to', ...PAGED],
    schemas: typia.json.schemas<[AuditEntry], '3.1'>(),
    shape: 'page',
    codes: ARCHIVE_CODES,
    handle: async ({ engine, archive }, call) => {
      const { mark, ...asked } = askedFor(call);
      const reachedSeq = await engine.ask('lastAction', {});
      const told = await readArchive(archive.actions, { ...asked, reachedSeq });
      return page(told.actions.map(auditEntry), eventsCursor(mark, told.nextBefore));
    },
  },
];

function askedFor(call: Call): Omit<ActionsQuestion, 'kind' | 'reachedSeq'> & { readonly mark: number } {
  const operator = call.given.get('operator') ?? null;
  if (operator !== null && !isOperatorName(operator)) refuseInvalid('operator must be the name of a token');
  const action = call.choice('action', ACTION_KINDS);
  const filters = { operator, action, fromMs: call.time('from'), toMs: call.time('to') };
  const mark = markOf('audit', filters);
  return { mark, ...filters, ...eventsQuery(mark, call.given) };
}

export interface AuditEntry {
  /** The number of the command in the journal, which `tote replay` shows; of a refused request, of the last command before it. */
  readonly seq: number;
  readonly time: string;
  /** The kind of the command; `roleDenied` and `tokenRefused` are requests that were refused. */
  readonly action: ActionKind;
  /**
   * Name of the token; null where the server acted of itself, and for tokens that nobody has.
   */
  readonly operator: string | null;
  readonly reason: string | null;
  /**
   * Id of the account, key, market, round or asset that it was done to or that it made; else `house`, `rules`, `trading` or
   * `clock`. A refused request has its route, or null for a token that nobody has.
   */
  readonly target: string | null;
  readonly details: AuditDetails;
}

/** Only what the action says. Money is in dollars. */
export interface AuditDetails {
  readonly accountId?: string;
  /** The key that takes the place of a rotated one. */
  readonly newKeyId?: string;
  readonly name?: string;
  readonly tier?: string;
  readonly frozen?: boolean;
  readonly balance?: number;
  readonly amount?: number;
  readonly reference?: string;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: string;
  readonly overlapEndsAt?: string;
  readonly enabled?: boolean;
  readonly suspended?: boolean;
  readonly price?: number;
  /** Rules that have another value than before; null is the default. */
  readonly changed?: readonly ChangedRule[];
  readonly role?: OperatorRole;
  /** Requests that were refused alike. */
  readonly times?: number;
  /** Wrong tokens, requests refused unseen because their address had guessed too often, and the first few addresses. */
  readonly wrong?: number;
  readonly refused?: number;
  readonly addresses?: readonly string[];
}

function auditEntry(action: ActionView): AuditEntry {
  const { seq, timeMs, kind, operator, facts } = action;
  return {
    seq,
    time: isoText(timeMs),
    action: kind,
    operator,
    reason: facts.reason === '' ? null : facts.reason,
    target: TARGETS[kind](facts),
    details: detailsOf(action),
  };
}

const ofAccount = ({ account = 0 }: ActionFields): string => accountId(account);
const ofKey = ({ key = 0 }: ActionFields): string => keyId(key);

const TARGETS: Readonly<Record<ActionKind, (facts: ActionFields) => string | null>> = {
  createAccount: ({ made = 0 }) => accountId(made),
  updateAccount: ofAccount,
  deposit: ofAccount,
  withdraw: ofAccount,
  createKey: ({ made = 0 }) => keyId(made),
  updateKey: ofKey,
  expireKey: ofKey,
  rotateKey: ofKey,
  depositHouse: () => 'house',
  withdrawHouse: () => 'house',
  configure: () => 'rules',
  setTrading: () => 'trading',
  moveClock: () => 'clock',
  suspendMarket: ({ market = '' }) => market,
  voidRound: ({ market = '', roundNumber = 0 }) => roundId(marketOf(market), roundNumber),
  confirmPrice: ({ asset = '' }) => asset,
  roleDenied: ({ route = null }) => route,
  tokenRefused: () => null,
};

function detailsOf({ kind, facts, changed }: ActionView): AuditDetails {
  const { account, made, scopesMask, balanceCents, amountCents, expiresAtMs, overlapEndsMs } = facts;
  const { name, tier, frozen, reference, enabled, suspended, price } = facts;
  const { role, times, wrong, refused, addresses } = facts;
  const given = {
    accountId: kind === 'createKey' && account !== undefined ? accountId(account) : null,
    newKeyId: kind === 'rotateKey' && made !== undefined ? keyId(made) : null,
    balance: balanceCents === undefined ? null : dollarsOfCents(balanceCents),
    amount: amountCents === undefined ? null : dollarsOfCents(amountCents),
    scopes: scopesMask === undefined ? null : scopesOf(scopesMask),
    expiresAt: isoOrNull(expiresAtMs),
    overlapEndsAt: isoOrNull(overlapEndsMs),
    changed: kind === 'configure' ? changed : null,
    ...{ name, tier, frozen, reference, enabled, suspended, price },
    ...{ role, times, wrong, refused, addresses },
  };
  const said = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(said);
}
