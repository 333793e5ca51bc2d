/** Queries of the archive for what happened, as SQL. */
import { must } from '../../engine/base/assert.js';
import { marketOf, timeFrameMs } from '../../engine/model/domain.js';
import { BET, countOf, namesOf, TRANSFER } from './columns.js';

/** The events of one account, bet or round. Those of a round are its bets and the seeds and settlement of the house. */
export type ArchiveQuery =
  | { readonly of: 'account'; readonly account: number }
  | { readonly of: 'bet'; readonly bet: number }
  | { readonly of: 'round'; readonly market: string; readonly roundNumber: number };

const ofBet = (seq: string, item: string, what: string): string =>
  `SELECT ${seq} AS at, '${what}' AS what, ${namesOf(BET)}, ${item} AS place`;
const OF_TRANSFER = `SELECT seq AS at, 'transfer' AS what, ${namesOf(TRANSFER)}`;

/** Bets in the order of settlement. There is no index by that, so only their numbers are sorted. */
const bySettlement = (condition: string): string =>
  `(SELECT bet AS number FROM bet WHERE ${condition} ORDER BY settled_seq, settled_item LIMIT -1)
    CROSS JOIN bet ON bet = number`;

/**
 * All events of a range of commands, one statement per kind, each in the order of commands and their events: the reader
 * merges them in little memory. The parameters of each are the first and the last command.
 */
export const EVENTS_IN_ORDER: readonly string[] = [
  `${ofBet('placed_seq', '0', 'placed')} FROM bet WHERE placed_seq BETWEEN ? AND ? ORDER BY bet`,
  `${ofBet('settled_seq', 'settled_item', 'settled')} FROM ${bySettlement('settled_seq BETWEEN ? AND ?')}`,
  `${OF_TRANSFER}, item AS place FROM transfer WHERE seq BETWEEN ? AND ? ORDER BY seq, item`,
];

/** Its parameters are the account, twice; null for all accounts. */
const OF_ACCOUNT = '(? IS NULL OR account = ?)';

/** Bets of an account, placed from one command to another and settled up to a third, in the order of settlement. */
export const SETTLED_BETS = `${ofBet('placed_seq', '0', 'settled')}
  FROM ${bySettlement(`placed_seq BETWEEN ? AND ? AND settled_seq <= ? AND ${OF_ACCOUNT}`)}`;

/** The other bets placed in that range, in the order of their numbers. */
export const OPEN_BETS = `${ofBet('placed_seq', '0', 'placed')} FROM bet
  WHERE placed_seq BETWEEN ? AND ? AND (settled_seq IS NULL OR settled_seq > ?) AND ${OF_ACCOUNT} ORDER BY bet`;

/** The placement of one bet. */
export const ONE_BET = `${ofBet('placed_seq', '0', 'placed')} FROM bet WHERE bet = ? AND placed_seq IS NOT NULL`;

/** One statement for placements, settlements and transfers, in the order of commands and their events. */
export function eventsSql(
  query: ArchiveQuery,
  firstBetFrom: (timeMs: number) => number,
): { sql: string; values: readonly (number | string)[] } {
  const { bets, transfers, values } = conditions(query, firstBetFrom);
  const padding = ', NULL'.repeat(countOf(BET) - countOf(TRANSFER));
  const sql = `SELECT * FROM (
    ${ofBet('coalesce(placed_seq, 0)', '0', 'placed')} FROM bet WHERE ${bets}
    UNION ALL ${ofBet('settled_seq', 'settled_item', 'settled')} FROM bet WHERE ${bets} AND settled_seq IS NOT NULL
    UNION ALL ${OF_TRANSFER}${padding}, item FROM transfer WHERE ${transfers}
  ) WHERE at <= ? ORDER BY at, place`;
  return { sql, values };
}

function conditions(
  query: ArchiveQuery,
  firstBetFrom: (timeMs: number) => number,
): {
  bets: string;
  transfers: string;
  values: readonly (number | string)[];
} {
  switch (query.of) {
    case 'account': {
      const { account } = query;
      return { bets: 'account = ?', transfers: 'account = ?', values: [account, account, account] };
    }
    case 'bet':
      return { bets: 'bet = ?', transfers: 'FALSE', values: [query.bet, query.bet] };
    case 'round': {
      const { market, roundNumber } = query;
      // There is no index by round: its bets are between those placed before and after its window.
      const windowMs = timeFrameMs(marketOf(market));
      const [first, end] = [roundNumber, roundNumber + 1].map((number) => firstBetFrom(number * windowMs));
      const bets = [market, roundNumber, must(first, 'first bet'), must(end, 'end of bets')];
      return {
        bets: 'market = ? AND round_number = ? AND bet >= ? AND bet < ?',
        transfers: "account = 0 AND reason IN ('seed', 'settlement') AND reference = ?",
        values: [...bets, ...bets, `${market}_${roundNumber}`],
      };
    }
  }
}
