/**
 * What the house has earned, by hour or day. The archive is read an hour at a time, so that nobody waits long for its
 * reader, and hours whose rounds are all settled are kept: they never change.
 */
import {
  type ArchiveReads,
  type ArchiveRefusal,
  type EarningsAnswer,
  isRefusal,
} from '../../engine/model/archive-reads.js';
import { parseChoice, parseQuery, parseTime } from '../kit/params.js';
import { invalid, Refused, refusedBy } from '../kit/refused.js';
import { isoText } from '../wire/wire.js';
import { type Asking, answer, asking, type Call, Reading, type Result, type Route } from './call.js';
import type { OpenRounds } from './desk/dealings.js';
import { earningsResource } from './resources/house.js';

const HOUR_MS = 3_600_000;
/** Days are those of UTC. */
const LENGTHS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
type Length = keyof typeof LENGTHS_MS;

const PARTS_DEFAULT: Readonly<Record<Length, number>> = { hour: 24, day: 7 };
const PARTS_MAX: Readonly<Record<Length, number>> = { hour: 168, day: 31 };
/** Hours kept: two months. */
const KEPT_MAX = 1_500;

const NOTHING: EarningsAnswer = { rounds: 0, voided: 0, bets: 0, volumeCents: 0, paidCents: 0, feesCents: 0 };

interface Span {
  readonly by: Length;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Each has hours of its own. */
export function profitRoute(): Route {
  const kept = new KeptHours();
  return { method: 'GET', path: '/house/profit', role: 'read', handle: (call) => profit(kept, call) };
}

function profit(kept: KeptHours, { request }: Call): Asking | Refused {
  const given = parseQuery(request.query, ['by', 'from', 'to']);
  if (given instanceof Refused) return given;
  const by = parseChoice('by', given.get('by'), ['hour', 'day']);
  if (by instanceof Refused) return by;
  const fromMs = parseTime('from', given.get('from'));
  if (fromMs instanceof Refused) return fromMs;
  const toMs = parseTime('to', given.get('to'));
  if (toMs instanceof Refused) return toMs;
  return asking('openRounds', {}, (...slices) => {
    const span = spanOf(by ?? 'hour', fromMs, toMs, slices.at(-1)?.timeMs ?? 0);
    return span instanceof Refused
      ? span
      : new Reading((archive, tell) =>
          kept.read(archive, span, slices, (hours) =>
            tell('refused' in hours ? refusedBy(hours) : shown(span, hours)),
          ),
        );
  });
}

/** Whole parts that hold all that was asked for; up to now, and a usual number of them, if that is not said. */
function spanOf(by: Length, from: number | null, to: number | null, nowMs: number): Span | Refused {
  const lengthMs = LENGTHS_MS[by];
  const toMs = Math.ceil((to ?? nowMs + 1) / lengthMs) * lengthMs;
  const fromMs = from === null ? toMs - PARTS_DEFAULT[by] * lengthMs : Math.floor(from / lengthMs) * lengthMs;
  if (fromMs >= toMs) return invalid('from must be before to');
  if (toMs - fromMs > PARTS_MAX[by] * lengthMs)
    return invalid(`from and to must be at most ${PARTS_MAX[by]} ${by}s apart`);
  return { by, fromMs: Math.max(0, fromMs), toMs };
}

function shown({ by, fromMs, toMs }: Span, hours: ReadonlyMap<number, EarningsAnswer>): Result {
  const lengthMs = LENGTHS_MS[by];
  const parts = Array.from({ length: (toMs - fromMs) / lengthMs }, (_, index) => {
    const startMs = fromMs + index * lengthMs;
    const sums = sumOf(hours, startMs, startMs + lengthMs);
    return { start: isoText(startMs), end: isoText(startMs + lengthMs), ...earningsResource(sums) };
  });
  const total = earningsResource(sumOf(hours, fromMs, toMs));
  return answer(200, { by, from: isoText(fromMs), to: isoText(toMs), total, parts });
}

function sumOf(hours: ReadonlyMap<number, EarningsAnswer>, fromMs: number, toMs: number): EarningsAnswer {
  let sum = NOTHING;
  for (let hourMs = fromMs; hourMs < toMs; hourMs += HOUR_MS) sum = added(sum, hours.get(hourMs) ?? NOTHING);
  return sum;
}

const added = (one: EarningsAnswer, other: EarningsAnswer): EarningsAnswer => ({
  rounds: one.rounds + other.rounds,
  voided: one.voided + other.voided,
  bets: one.bets + other.bets,
  volumeCents: one.volumeCents + other.volumeCents,
  paidCents: one.paidCents + other.paidCents,
  feesCents: one.feesCents + other.feesCents,
});

class KeptHours {
  /** By the start of the hour, the one kept first comes first. */
  readonly #hours = new Map<number, EarningsAnswer>();

  /** Reads the hours of the span one after the other. `tell` is called once. */
  read(
    archive: ArchiveReads,
    { fromMs, toMs }: Span,
    slices: readonly OpenRounds[],
    tell: (hours: ReadonlyMap<number, EarningsAnswer> | ArchiveRefusal) => void,
  ): void {
    const { lifecycleSeq: reachedSeq = 0, timeMs = 0 } = slices.at(-1) ?? {};
    const ends = slices.flatMap(({ rounds }) => rounds.map(({ endTimeMs }) => endTimeMs));
    // What ended before is settled, and no round begins in the past.
    const finalMs = Math.min(timeMs, ...ends);
    const found = new Map<number, EarningsAnswer>();
    const readFrom = (hourMs: number): void => {
      let next = hourMs;
      for (; next < toMs && next <= timeMs; next += HOUR_MS) {
        const known = this.#hours.get(next);
        if (known === undefined) break;
        found.set(next, known);
      }
      if (next >= toMs || next > timeMs) {
        tell(found);
        return;
      }
      const endMs = next + HOUR_MS;
      archive.earnings({ fromMs: next, toMs: endMs, reachedSeq }, (told) => {
        if (isRefusal(told)) {
          tell(told);
          return;
        }
        found.set(next, told);
        // A round that ends with its hour is one of the next.
        if (endMs <= finalMs) this.#keep(next, told);
        readFrom(endMs);
      });
    };
    readFrom(fromMs);
  }

  #keep(hourMs: number, sums: EarningsAnswer): void {
    this.#hours.set(hourMs, sums);
    const [oldest] = this.#hours.keys();
    if (this.#hours.size > KEPT_MAX && oldest !== undefined) this.#hours.delete(oldest);
  }
}
