/** Operator routes that list rounds: what is not settled from memory, what is from the archive, the last to start first. */
import { isRefusal, type RoundsAnswer } from '../../engine/model/archive-reads.js';
import {
  marketId,
  marketOf,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  textAt,
} from '../../engine/model/domain.js';
import { roundsCursor, roundsQuery } from '../api/lists/past-queries.js';
import { parseChoice, parseQuery } from '../kit/params.js';
import { invalid, Refused, refusedBy } from '../kit/refused.js';
import { type Asking, asking, type Call, page, Reading, type Result, type Route } from './call.js';
import type { OpenRound, OpenRounds } from './desk/dealings.js';
import { openRoundResource, type RoundResource, settledRoundResource } from './resources/rounds.js';

export const roundRoutes: readonly Route[] = [{ method: 'GET', path: '/rounds', role: 'read', handle: list }];

interface Query extends Exclude<ReturnType<typeof roundsQuery>, Refused> {
  readonly market: number | null;
  readonly status: RoundStatus | null;
}

/** A round with its place in the list. */
interface Listed {
  readonly startTimeMs: number;
  readonly market: number;
  readonly resource: RoundResource;
}

function list({ request }: Call): Asking | Refused {
  const query = readQuery(request.query);
  if (query instanceof Refused) return query;
  return asking('openRounds', {}, (...slices) => {
    const open = matching(lastOf(slices), query);
    if (query.status !== null && query.status !== 'SETTLED') return pageOf(query, open, NONE);
    return new Reading((archive, tell) => {
      const reachedSeq = slices.at(-1)?.lifecycleSeq ?? 0;
      const { market, fromMs, toMs, after, limit } = query;
      archive.rounds({ market, fromMs, toMs, after, limit, reachedSeq }, (told) =>
        tell(isRefusal(told) ? refusedBy(told) : pageOf(query, open, told)),
      );
    });
  });
}

const NONE: RoundsAnswer = { rounds: [], nextAfter: null };

function readQuery(text: string): Query | Refused {
  const given = parseQuery(text, ['marketId', 'status', 'from', 'to', 'limit', 'cursor']);
  if (given instanceof Refused) return given;
  const id = given.get('marketId');
  const market = id === undefined ? null : marketOf(id);
  if (market !== null && market < 0) return invalid('marketId must be the id of a market');
  const status = parseChoice('status', given.get('status'), ROUND_STATUSES);
  if (status instanceof Refused) return status;
  const asked = roundsQuery(given);
  return asked instanceof Refused ? asked : { ...asked, market, status };
}

/** A round that went on while they were read is there twice, and counts as it was last. */
export function lastOf(slices: readonly OpenRounds[]): ReadonlyMap<string, OpenRound> {
  const rounds = slices.flatMap((slice) => slice.rounds);
  return new Map(rounds.map((round) => [roundId(round.market, round.roundNumber), round]));
}

function matching(
  rounds: ReadonlyMap<string, OpenRound>,
  { market, status, fromMs, toMs, after }: Query,
): OpenRound[] {
  return [...rounds.values()].filter(
    (round) =>
      (market === null || round.market === market) &&
      (status === null || textAt(ROUND_STATUSES, round.status) === status) &&
      round.startTimeMs >= (fromMs ?? 0) &&
      round.startTimeMs < (toMs ?? Number.POSITIVE_INFINITY) &&
      (after === null || inOrder(after, round) < 0),
  );
}

type Place = Pick<Listed, 'startTimeMs' | 'market'>;

/** Below 0 if `one` comes first: the last to start, of those that start together the last id of a market. */
function inOrder(one: Place, other: Place): number {
  if (one.startTimeMs !== other.startTimeMs) return other.startTimeMs - one.startTimeMs;
  if (one.market === other.market) return 0;
  return marketId(one.market) > marketId(other.market) ? -1 : 1;
}

/** Both as far as both have been read. What is in both has been settled meanwhile. */
function pageOf({ limit }: Query, open: readonly OpenRound[], { rounds, nextAfter }: RoundsAnswer): Result {
  const settled = new Set(rounds.map((round) => roundId(round.market, round.roundNumber)));
  const all: Listed[] = [
    ...rounds.map((round) => ({ ...placeOf(round), resource: settledRoundResource(round) })),
    ...open
      .filter(
        (round) =>
          !settled.has(roundId(round.market, round.roundNumber)) &&
          (nextAfter === null || inOrder(round, nextAfter) <= 0),
      )
      .map((round) => ({ ...placeOf(round), resource: openRoundResource(round) })),
  ].sort(inOrder);
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  const next = all.length > limit && last !== undefined ? placeOf(last) : nextAfter;
  return page(
    shown.map(({ resource }) => resource),
    roundsCursor({ nextAfter: next }),
  );
}

const placeOf = ({ startTimeMs, market }: Place): Place => ({ startTimeMs, market });
