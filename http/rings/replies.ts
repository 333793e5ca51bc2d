/** Replies of the engine's thread to a gateway, as messages in a ring: facts, which the gateway renders as text. */
import { POSITION_STATUSES, textAt } from '../../engine/model/domain.js';
import { ERROR_CODES } from '../../engine/model/errors.js';
import type { BetView } from '../../engine/model/views.js';
import type { BetsReply, RefusalFacts } from '../link/orders.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

/** The first number of a message is its kind; the second is the ticket of the request. */
export const PLACED = 0;
export const REPLAYED = 1;
export const REFUSED = 2;
export const BETS = 3;
/** Any other answer to a question (`questions.ts`). */
export const FACTS = 4;

const HEAD_CELLS = 2;
const CODE_NUMBERS = new Map(ERROR_CODES.map((code, at) => [code, at]));

const orNaN = (value: number | null): number => value ?? Number.NaN;
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

export function begin(ring: RingProducer, cells: number, kind: number, ticket: number): boolean {
  if (!ring.begin(HEAD_CELLS + cells)) return false;
  ring.number(kind);
  ring.number(ticket);
  return true;
}

export function sendRefusal(
  ring: RingProducer,
  ticket: number,
  { code, detail, current }: RefusalFacts,
): boolean {
  if (!begin(ring, 3 + textCells(detail), REFUSED, ticket)) return false;
  ring.number(CODE_NUMBERS.get(code) as number);
  ring.text(detail);
  ring.number(orNaN(current?.percentE2 ?? null));
  ring.number(orNaN(current?.oddsE4 ?? null));
  ring.send();
  return true;
}

export function readRefusal(ring: RingConsumer): RefusalFacts {
  const code = textAt(ERROR_CODES, ring.number());
  const detail = ring.text() ?? '';
  const [percentE2, oddsE4] = [orNull(ring.number()), orNull(ring.number())];
  return percentE2 === null || oddsE4 === null
    ? { code, detail }
    : { code, detail, current: { percentE2, oddsE4 } };
}

const VIEW_CELLS = 19;

/** `next` is the cursor of the next page as numbers, empty where there is none. */
export function sendBets(
  ring: RingProducer,
  ticket: number,
  bets: readonly BetView[],
  next: readonly number[],
): boolean {
  let cells = 2 + next.length;
  for (const { clientSeed, clientOrderId } of bets)
    cells += VIEW_CELLS + textCells(clientSeed) + textCells(clientOrderId);
  if (!begin(ring, cells, BETS, ticket)) return false;
  ring.number(bets.length);
  for (const bet of bets) {
    ring.number(bet.bet);
    ring.number(bet.market);
    ring.number(bet.roundNumber);
    ring.number(bet.side);
    ring.number(bet.stakeCents);
    ring.number(bet.oddsE4);
    ring.number(bet.limitOddsE4);
    ring.number(bet.rested ? 1 : 0);
    ring.number(orNaN(bet.filledAtMs));
    ring.number(orNaN(bet.validUntilMs));
    ring.number(orNaN(bet.entryPercentE2));
    ring.text(bet.clientSeed);
    ring.text(bet.clientOrderId);
    ring.number(bet.payoutCents);
    ring.number(POSITION_STATUSES.indexOf(bet.status));
    ring.number(bet.result);
    ring.number(orNaN(bet.paidCents));
    ring.number(bet.placedAtMs);
    ring.number(orNaN(bet.settledAtMs));
    ring.number(bet.roundStatus);
    ring.number(bet.roundEndTimeMs);
  }
  ring.number(next.length);
  for (const number of next) ring.number(number);
  ring.send();
  return true;
}

export const readBets = (ring: RingConsumer): BetsReply => ({
  bets: Array.from({ length: ring.number() }, () => readView(ring)),
  next: Array.from({ length: ring.number() }, () => ring.number()),
});

function readView(ring: RingConsumer): BetView {
  return {
    bet: ring.number(),
    market: ring.number(),
    roundNumber: ring.number(),
    side: ring.number(),
    stakeCents: ring.number(),
    oddsE4: ring.number(),
    limitOddsE4: ring.number(),
    rested: ring.number() === 1,
    filledAtMs: orNull(ring.number()),
    validUntilMs: orNull(ring.number()),
    entryPercentE2: orNull(ring.number()),
    clientSeed: ring.text(),
    clientOrderId: ring.text(),
    payoutCents: ring.number(),
    status: textAt(POSITION_STATUSES, ring.number()),
    result: ring.number(),
    paidCents: orNull(ring.number()),
    placedAtMs: ring.number(),
    settledAtMs: orNull(ring.number()),
    roundStatus: ring.number(),
    roundEndTimeMs: ring.number(),
  };
}
