/** The endpoint that lists rounds: open ones from memory, settled ones from the archive, the last to start first. */
import typia from 'typia';
import { isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import type { ArchivedRoundView, RoundsAnswer } from '../../engine/model/archive-reads.js';
import {
  marketId,
  RESULT_NONE,
  ROUND_RESULTS,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  textAt,
} from '../../engine/model/domain.js';
import { roundsCursor, roundsQuery } from '../api/lists/archive-queries.js';
import { readArchive } from '../kit/refused.js';
import { factsOf } from '../wire/archive-text.js';
import type { RoundFacts } from '../wire/proof-types.js';
import { type Answer, ARCHIVE_CODES, type Call, type Declared, PAGED, page } from './endpoint.js';
import type { OpenRound } from './queries/reads.js';

export const ROUND_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/rounds',
    id: 'listRounds',
    summary: 'Rounds, the last to start first',
    parameters: ['marketId', 'statusOfRound', 'from', 'to', ...PAGED],
    schemas: typia.json.schemas<[RoundResource], '3.1'>(),
    shape: 'page',
    codes: ARCHIVE_CODES,
    handle: async ({ engine, archive }, call) => {
      const query = queryOf(call);
      const { market, status, fromMs, toMs, after, limit } = query;
      const { rounds, lifecycleSeq } = await engine.ask('openRounds', {});
      const open = matching(rounds, query);
      if (status !== null && status !== 'SETTLED') return pageOf(query, open, NONE);
      const question = { market, fromMs, toMs, after, limit, reachedSeq: lifecycleSeq };
      const settled = await readArchive(archive.rounds, question);
      return pageOf(query, open, settled);
    },
  },
];

const NONE: RoundsAnswer = { rounds: [], nextAfter: null };

type Query = ReturnType<typeof queryOf>;
function queryOf(call: Call) {
  const market = call.market();
  const status = call.choice('status', ROUND_STATUSES);
  return { ...roundsQuery(call.given, market, status), market, status };
}

function matching(rounds: readonly OpenRound[], { market, status, fromMs, toMs, after }: Query): OpenRound[] {
  return rounds.filter(
    (round) =>
      (market === null || round.market === market) &&
      (status === null || textAt(ROUND_STATUSES, round.status) === status) &&
      round.startTimeMs >= (fromMs ?? 0) &&
      round.startTimeMs < (toMs ?? Number.POSITIVE_INFINITY) &&
      (after === null || inOrder(after, round) < 0),
  );
}

type Place = Pick<OpenRound, 'startTimeMs' | 'market'>;

/** Below 0 if `one` comes first: the last to start, of those that start together the last id of a market. */
function inOrder(one: Place, other: Place): number {
  if (one.startTimeMs !== other.startTimeMs) return other.startTimeMs - one.startTimeMs;
  if (one.market === other.market) return 0;
  return marketId(one.market) > marketId(other.market) ? -1 : 1;
}

/** Both as far down as both have been read. A round that is in both has been settled meanwhile. */
function pageOf(
  { mark, limit }: Query,
  open: readonly OpenRound[],
  { rounds, nextAfter }: RoundsAnswer,
): Answer {
  const settled = new Set(rounds.map(({ market, roundNumber }) => roundId(market, roundNumber)));
  const unsettled = open.filter(({ market, roundNumber }) => !settled.has(roundId(market, roundNumber)));
  const above = unsettled.filter((round) => nextAfter === null || inOrder(round, nextAfter) <= 0);
  const all = [...rounds, ...above].sort(inOrder);
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  const next = all.length > limit && last !== undefined ? last : nextAfter;
  return page(shown.map(roundResource), roundsCursor(mark, next));
}

export interface RoundResource extends RoundFacts {
  readonly status: RoundStatus;
  readonly openPrice: number | null;
  readonly closePrice: number | null;
  /** Put in by the house. */
  readonly seeds: number;
  /** Paid to the bets on a side if it wins; null for a settled round. */
  readonly owedUp: number | null;
  readonly owedDown: number | null;
  /** Paid to the bets, and left to the house of the stakes; null before. */
  readonly paid: number | null;
  readonly houseResult: number | null;
  readonly result: Exclude<(typeof ROUND_RESULTS)[number], 'NONE'> | null;
  readonly settledAt: string | null;
}

/** A settled round comes from the archive. */
function roundResource(round: OpenRound | ArchivedRoundView): RoundResource {
  const { result, volumeCents, openPrice, closePrice } = round;
  const [open, settled] = 'settledAtMs' in round ? [null, round] : [round, null];
  return {
    ...factsOf(round),
    openPrice,
    closePrice,
    status: open === null ? 'SETTLED' : textAt(ROUND_STATUSES, open.status),
    seeds: dollarsOfCents(2 * round.seedCents),
    owedUp: open && dollarsOfCents(open.payoutUpCents),
    owedDown: open && dollarsOfCents(open.payoutDownCents),
    paid: settled && dollarsOfCents(settled.paidCents),
    houseResult: settled && dollarsOfCents(volumeCents - settled.paidCents),
    result: result === RESULT_NONE ? null : (textAt(ROUND_RESULTS, result) as RoundResource['result']),
    settledAt: settled && isoText(settled.settledAtMs),
  };
}
