/** The endpoint that lists rounds: open ones from memory, settled ones from the archive, the last to start first. */
import typia from 'typia';
import type { RoundsAnswer } from '../../engine/model/archive-reads.js';
import {
  marketId,
  marketOf,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  textAt,
} from '../../engine/model/domain.js';
import { roundsCursor, roundsQuery } from '../api/lists/past-queries.js';
import { parseChoice } from '../kit/params.js';
import { type Refused, readPast, refuseInvalid, unlessRefused } from '../kit/refused.js';
import { type Answer, type Call, type Endpoint, PAGED, PAST, page } from './endpoint.js';
import type { OpenRound, OpenRounds } from './queries/query.js';
import { openRoundResource, type RoundResource, settledRoundResource } from './resources/rounds.js';

export const ROUNDS_ENDPOINT: Endpoint = {
  method: 'GET',
  path: '/rounds',
  role: 'read',
  id: 'listRounds',
  tag: 'Trading',
  summary: 'Rounds, the last to start first',
  parameters: ['marketId', 'statusOfRound', 'from', 'to', ...PAGED],
  schemas: typia.json.schemas<[RoundResource], '3.1'>(),
  shape: 'page',
  codes: PAST,
  handle: async ({ engine, archive }, call) => {
    const query = queryOf(call);
    const { market, status, fromMs, toMs, after, limit } = query;
    const slices = await engine.list('openRounds', {});
    const open = matching(lastOf(slices), query);
    if (status !== null && status !== 'SETTLED') return pageOf(query, open, NONE);
    const reachedSeq = slices.at(-1)?.lifecycleSeq ?? 0;
    const settled = await readPast<RoundsAnswer>((tell) =>
      archive.rounds({ market, fromMs, toMs, after, limit, reachedSeq }, tell),
    );
    return pageOf(query, open, settled);
  },
};

interface Query extends Exclude<ReturnType<typeof roundsQuery>, Refused> {
  readonly market: number | null;
  readonly status: RoundStatus | null;
}

interface Listed {
  readonly startTimeMs: number;
  readonly market: number;
  readonly resource: RoundResource;
}

const NONE: RoundsAnswer = { rounds: [], nextAfter: null };

export function marketIn(given: Call['given']): number | null {
  const id = given.get('marketId');
  const market = id === undefined ? null : marketOf(id);
  return market !== null && market < 0 ? refuseInvalid('marketId must be the id of a market') : market;
}

function queryOf({ given }: Call): Query {
  const market = marketIn(given);
  const status = unlessRefused(parseChoice('status', given.get('status'), ROUND_STATUSES));
  return { ...unlessRefused(roundsQuery(given)), market, status };
}

/** A round that went on during the reading is there twice: the later view counts. */
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

/** Both as far down as both have been read. A round that is in both has been settled meanwhile. */
function pageOf({ limit }: Query, open: readonly OpenRound[], { rounds, nextAfter }: RoundsAnswer): Answer {
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
