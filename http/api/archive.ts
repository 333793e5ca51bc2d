/** GET endpoints that the archive answers: an account's ledger, and settled rounds. */
import { marketOf } from '../../engine/model/domain.js';
import { ledgerEntry, settledRound } from '../wire/archive-text.js';
import { answering, askReached } from './ask.js';
import type { Call } from './call.js';
import { ledgerCursor, ledgerQuery, roundsCursor, roundsQuery } from './lists/archive-queries.js';
import { NO_MARKET } from './refusals.js';
import type { Services } from './services.js';

export function ledger(services: Services, call: Call): void {
  const asked = ledgerQuery(call.query(['limit', 'cursor']));
  const { account } = call;
  askReached(services, call, 'accountSeq', (reachedSeq) =>
    services.archive.ledger(
      { account, ...asked, reachedSeq },
      answering(call, (told) => call.sendPage(told.entries.map(ledgerEntry), ledgerCursor(told))),
    ),
  );
}

export function rounds(services: Services, call: Call): void {
  const given = call.query(['marketId', 'from', 'to', 'limit', 'cursor']);
  sendRounds(services, call, given.get('marketId'), given);
}

export const marketRounds = (services: Services, call: Call): void =>
  sendRounds(services, call, call.id(), call.query(['limit', 'cursor']));

function sendRounds(
  services: Services,
  call: Call,
  id: string | undefined,
  given: ReadonlyMap<string, string>,
): void {
  const market = id === undefined ? null : marketOf(id);
  if (market !== null && market < 0) throw NO_MARKET;
  const asked = roundsQuery(given);
  askReached(services, call, 'lifecycleSeq', (reachedSeq) =>
    services.archive.rounds(
      { market, ...asked, reachedSeq },
      answering(call, (told) => call.sendPage(told.rounds.map(settledRound), roundsCursor(told))),
    ),
  );
}
