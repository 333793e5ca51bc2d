/** Finds one bet of an account by its number, over as many pages as that takes. */
import type { BetView } from '../../../engine/model/views.js';
import type { Link } from '../../rings/link.js';
import * as replies from '../../rings/replies.js';
import * as requests from '../../rings/requests.js';
import { BUSY } from './open-bets.js';
import type { NotRead, PastBets } from './past-bets.js';

const ANY = {
  status: 'all',
  isByChange: false,
  market: null,
  roundNumber: null,
  beforeMs: null,
  clientOrderId: null,
  limit: 1,
} as const;

/** null if the account has no such bet in memory. `onFound` is called once. */
export function findBet(
  link: Link,
  asker: requests.Asker,
  bet: number,
  onFound: (found: BetView | null | replies.RefusalFacts) => void,
): void {
  const ask = (cursor: readonly number[]): void => {
    const isSent = link.send(
      (ring, ticket) => requests.sendList(ring, ticket, asker, { ...ANY, cursor }),
      (kind, ring) => {
        if (kind === replies.REFUSED) onFound(replies.readRefusal(ring));
        else {
          const { bets, next } = replies.readBets(ring);
          const [newest] = bets;
          if (newest === undefined && next.length > 0) ask(next);
          else onFound(newest?.bet === bet ? newest : null);
        }
      },
    );
    if (!isSent) onFound(BUSY);
  };
  ask([bet + 1, 0, 0]);
}

/** Asks the archive where memory has none; null if the account has no such bet at all. */
export function findOwnBet(
  link: Link,
  past: PastBets,
  asker: requests.Asker,
  bet: number,
  onFound: (found: BetView | null | NotRead) => void,
): void {
  findBet(link, asker, bet, (found) => {
    if (found === null) past.bet(asker, bet, onFound);
    else onFound(found);
  });
}
