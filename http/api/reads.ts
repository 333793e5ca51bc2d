/**
 * GET endpoints beside those of bets. Market data are ready bytes made of the board, time and limits come from shared
 * memory, the engine's thread is asked for a round, and the archive's for settled rounds and an account's ledger.
 */
import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { marketOf, parseRoundId, TIERS, type Tier, textAt } from '../../engine/model/domain.js';
import type { Rules } from '../../engine/model/rules.js';
import { DURABLE_SEQ } from '../board/markets.js';
import { markOf } from '../kit/cursor.js';
import type { Given } from '../kit/params.js';
import { WINDOW_MS } from '../limits/sliding-windows.js';
import { ledgerEntry, settledRound } from '../wire/archive-text.js';
import { roundDetail } from '../wire/round-detail.js';
import type { BetLimits, Limits, ServerTime } from '../wire/service-types.js';
import { ask, askArchive } from './ask.js';
import type { Call } from './call.js';
import { eventsCursor, eventsQuery, roundsCursor, roundsQuery } from './lists/archive-queries.js';
import { NO_MARKET, NO_ROUND } from './refusals.js';
import type { Services } from './services.js';

export const markets = ({ view }: Services, call: Call): void => call.sendTagged(view.markets(call.nowMs));

export function market({ view }: Services, call: Call): void {
  const body = view.market(marketOf(call.id()), call.nowMs);
  if (body === null) throw NO_MARKET;
  call.sendTagged(body);
}

export const prices = ({ view }: Services, call: Call): void => call.sendTagged(view.prices());

export function round(services: Services, call: Call): void {
  const name = parseRoundId(call.id());
  if (name === null) throw NO_ROUND;
  ask(services, call, { kind: 'round', ...name }, ({ round, ...prices }) =>
    call.sendData(roundDetail(round, services.seeds, prices, call.nowMs)),
  );
}

const journalRow = new Float64Array(1);

export function time({ board }: Services, call: Call): void {
  board.journal.read(0, journalRow);
  const seq = must(journalRow[DURABLE_SEQ], 'how far the journal is');
  call.sendData<ServerTime>({ timeMs: call.nowMs, time: isoText(call.nowMs), seq });
}

export function limits({ limits, rights, rules }: Services, call: Call): void {
  call.sendData<Limits>({
    windowMs: WINDOW_MS,
    rateLimits: limits.left(call, call.limitsNowMs),
    bets: betLimits(rules(), textAt(TIERS, rights.tier(call.account))),
  });
}

export function betLimits(rules: Rules, tier: Tier): BetLimits {
  const { maxStakeCents } = must(rules.tiers[TIERS.indexOf(tier)], 'the rules of a tier');
  return {
    tier,
    maxStake: maxStakeCents / 100,
    maxOpenBets: rules.openBetsMax,
    slippagePoints: rules.slippageE2 / 100,
    cutoffMs: rules.cutoffMs,
    idempotencyKeyMs: rules.idempotencyTtlMs,
    fee: rules.feeBps / 10_000,
  };
}

const LEDGER = markOf('ledger', {});

export function ledger(services: Services, call: Call): void {
  const asked = eventsQuery(LEDGER, call.query(['limit', 'cursor']));
  const { account } = call;
  askArchive(services, call, 'accountSeq', services.archive.ledger, { account, ...asked }, (told) =>
    call.sendPage(told.entries.map(ledgerEntry), eventsCursor(LEDGER, told.nextBefore)),
  );
}

export function rounds(services: Services, call: Call): void {
  const given = call.query(['marketId', 'from', 'to', 'limit', 'cursor']);
  sendRounds(services, call, given.get('marketId'), given);
}

export const marketRounds = (services: Services, call: Call): void =>
  sendRounds(services, call, call.id(), call.query(['limit', 'cursor']));

function sendRounds(services: Services, call: Call, id: string | undefined, given: Given): void {
  const market = id === undefined ? null : marketOf(id);
  if (market !== null && market < 0) throw NO_MARKET;
  const { mark, ...asked } = roundsQuery(given, market, null);
  askArchive(services, call, 'lifecycleSeq', services.archive.rounds, { market, ...asked }, (told) =>
    call.sendPage(told.rounds.map(settledRound), roundsCursor(mark, told.nextAfter)),
  );
}
