/** The caller's account: its money, its lists of bets, and one order by its id or its Idempotency-Key. */
import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { ALL_BETS } from '../../engine/model/bet-pages.js';
import { accountId, keyId, parseBetId, scopesOf, TIERS, textAt } from '../../engine/model/domain.js';
import type { BetView } from '../../engine/model/views.js';
import { parseIdempotencyKey } from '../kit/idempotency.js';
import type { BetsReply } from '../link/orders.js';
import type { AccountReply, ListFields } from '../link/questions.js';
import { positionsBytes, positionText } from '../wire/account-text.js';
import type { Account, ThisKey } from '../wire/account-types.js';
import { ask, askArchive } from './ask.js';
import type { Call } from './call.js';
import { archivePage, inItsRound, mergedPage, needsArchive } from './lists/archive-bets.js';
import { betsCursor, ordersQuery, positionsQuery } from './lists/list-query.js';
import { betLimits } from './reads.js';
import { NO_ORDER } from './refusals.js';
import type { Services } from './services.js';

export function account(services: Services, call: Call): void {
  call.query([]);
  ask(services, call, { kind: 'account' }, (now) => call.sendData(accountOf(services, call, now)));
}

function accountOf(services: Services, call: Call, now: AccountReply): Account {
  const { rights, limits } = services;
  const rules = services.rules();
  const tier = rights.tier(call.account);
  const { activeKeysMax } = must(rules.tiers[tier], 'the rules of a tier');
  return {
    id: accountId(call.account),
    tier: textAt(TIERS, tier),
    frozen: rights.isFrozen(call.account),
    balance: now.balanceCents / 100,
    openBets: now.openBets,
    openStakes: now.openStakesCents / 100,
    pendingOrders: now.pendingOrders,
    reservedStakes: now.reservedCents / 100,
    possiblePayout: { up: now.payoutUpCents / 100, down: now.payoutDownCents / 100 },
    keys: { active: now.activeKeys, max: activeKeysMax },
    key: keyOf(services, call),
    bets: betLimits(rules, textAt(TIERS, tier)),
    rateLimits: limits.left(call, call.limitsNowMs),
  };
}

function keyOf({ rights }: Services, { key }: Call): ThisKey {
  const expiresAtMs = rights.expiresAtMs(key);
  return {
    id: keyId(key),
    scopes: scopesOf(rights.scopesMask(key)),
    expiresAt: expiresAtMs < Number.POSITIVE_INFINITY ? isoText(expiresAtMs) : null,
  };
}

export const positions = (services: Services, call: Call): void =>
  sendList(services, call, 'positions', positionsQuery(call.request.query));

export const orders = (services: Services, call: Call): void =>
  sendList(services, call, 'orders', ordersQuery(call.request.query));

function sendList(services: Services, call: Call, name: string, list: ListFields): void {
  const send = ({ bets, next }: BetsReply): void => {
    const nextCursor = next.length === 0 ? null : betsCursor(name, list, next);
    call.send(200, positionsBytes(bets, nextCursor, services.hashes));
  };
  ask(services, call, { kind: 'list', ...list }, (reply) => {
    if (!needsArchive(list, reply)) {
      send(reply);
      return;
    }
    const page = archivePage(call.account, list);
    askArchive(services, call, 'accountSeq', services.archive.bets, page, ({ bets, nextBeforeBet }) => {
      const shown = bets.map((bet) => inItsRound(services.board, bet));
      send(mergedPage(list, reply, { bets: shown, nextBeforeBet }));
    });
  });
}

export function order(services: Services, call: Call): void {
  const bet = orderIn(call);
  findBet(services, call, bet, (found) => {
    if (found === null) throw NO_ORDER;
    call.sendText(positionText(found, services.hashes));
  });
}

/** The number of the order in the path. */
export function orderIn(call: Call): number {
  call.query([]);
  const bet = parseBetId(call.id());
  if (bet === 0) throw NO_ORDER;
  return bet;
}

export function orderByKey(services: Services, call: Call): void {
  call.query([]);
  const key = parseIdempotencyKey(call.id('key'), 'path parameter key');
  const digest = services.digests.ofKey(call.account, key);
  ask(services, call, { kind: 'seenKey', digest }, ({ bet, rememberedFromMs }) => {
    const answer = (found: BetView | null): void => {
      const orderText = found === null ? 'null' : positionText(found, services.hashes);
      const forgottenBefore = isoText(rememberedFromMs);
      call.sendText(`{"seen":${bet > 0},"forgottenBefore":"${forgottenBefore}","order":${orderText}}`);
    };
    if (bet === 0) answer(null);
    else findBet(services, call, bet, answer);
  });
}

const ANY = { kind: 'list', ...ALL_BETS, isByChange: false, limit: 1 } as const;

/** Asks the archive where memory has none. `onFound` gets null if the account has no such bet. */
export function findBet(
  services: Services,
  call: Call,
  bet: number,
  onFound: (found: BetView | null) => void,
  cursor: readonly number[] = [bet + 1, 0, 0],
): void {
  ask(services, call, { ...ANY, cursor }, ({ bets, next }) => {
    const [newest] = bets;
    if (newest?.bet === bet) onFound(newest);
    else if (newest === undefined && next.length > 0) findBet(services, call, bet, onFound, next);
    else
      askArchive(
        services,
        call,
        'accountSeq',
        services.archive.bet,
        { account: call.account, bet },
        (found) => onFound(found === null ? null : inItsRound(services.board, found)),
      );
  });
}
