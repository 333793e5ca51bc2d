/** Operator routes for the movements of money: ledgers, and transfers by their reference. */
import { isRefusal, type LedgerAnswer } from '../../engine/model/archive-reads.js';
import { ledgerCursor, ledgerQuery } from '../api/lists/past-queries.js';
import { parseQuery } from '../kit/params.js';
import { invalid, Refused, refusedBy } from '../kit/refused.js';
import { nextOf, searchOf } from '../kit/search-query.js';
import { ledgerEntry } from '../wire/past-text.js';
import { accountIn, parseOptionalAccount } from './accounts.js';
import { type Asking, asking, type Call, page, Reading, type Result, type Route } from './call.js';
import { transferResource } from './resources/accounts.js';

const TRANSFERS = 'transfers';
/** In the place of an account's id. */
const HOUSE = 'house';

export const moneyRoutes: readonly Route[] = [
  { method: 'GET', path: '/accounts/{id}/ledger', role: 'read', handle: ledger },
  { method: 'GET', path: '/transfers', role: 'read', handle: transfers },
];

/** The same entries as the account's own, newest first. */
function ledger(call: Call): Asking | Refused {
  const given = parseQuery(call.request.query, ['limit', 'cursor']);
  if (given instanceof Refused) return given;
  const asked = ledgerQuery(given);
  if (asked instanceof Refused) return asked;
  const account = accountIn(call);
  return asking(
    'accountSeq',
    { account },
    (reachedSeq) =>
      new Reading((archive, tell) =>
        archive.ledger({ account, ...asked, reachedSeq }, (told) =>
          tell(isRefusal(told) ? refusedBy(told) : ledgerPage(told)),
        ),
      ),
  );
}

const ledgerPage = (told: LedgerAnswer): Result => page(told.entries.map(ledgerEntry), ledgerCursor(told));

/** All deposits and withdrawals with a reference, which is unique in an account, by account; the house's comes first. */
function transfers({ request }: Call): Asking | Refused {
  const given = parseQuery(request.query, ['reference', 'accountId', 'limit', 'cursor']);
  if (given instanceof Refused) return given;
  const reference = given.get('reference');
  if (reference === undefined || reference === '')
    return invalid('reference is expected: that of a deposit or a withdrawal');
  const account = given.get('accountId') === HOUSE ? 0 : parseOptionalAccount(given);
  if (account instanceof Refused) return account;
  const searched = searchOf(given, TRANSFERS);
  if (searched instanceof Refused) return searched;
  return asking('transfers', { reference, account, ...searched }, (...slices) =>
    page(
      slices.flatMap(({ found }) => found.map(transferResource)),
      nextOf(slices, TRANSFERS),
    ),
  );
}
