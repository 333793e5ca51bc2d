import { textAt } from '../../engine/model/domain.js';
import type { OfferView, PartsQuote } from '../../engine/model/views.js';
import { begin, CODE_NUMBERS, CODES, QUOTE, type RefusalFacts } from './replies.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

type QuoteRefusal = Pick<RefusalFacts, 'code' | 'detail'>;
type PartsReply = Omit<PartsQuote, 'refusal'> & { readonly refusal: QuoteRefusal | null };

export interface QuoteReply {
  /** The time at which the order would have been placed. */
  readonly timeMs: number;
  readonly offer: OfferView | null;
  readonly refusal: QuoteRefusal | null;
  /** Whether a limit order would rest. */
  readonly rests: boolean | null;
  /** null where one part was asked for. */
  readonly inParts: PartsReply | null;
}

const OFFER_CELLS = 6;
const PARTS_CELLS = 6;
const NONE = -1;

/** Returns false if the ring is full; then nothing was sent. */
export function sendQuote(
  ring: RingProducer,
  ticket: number,
  { timeMs, offer, refusal, rests, inParts }: QuoteReply,
): boolean {
  const partsCells = inParts === null ? 0 : PARTS_CELLS + refusalCells(inParts.refusal);
  const cells = 1 + refusalCells(refusal) + OFFER_CELLS + 1 + partsCells;
  if (!begin(ring, cells, QUOTE, ticket)) return false;
  ring.number(timeMs);
  putRefusal(ring, refusal);
  ring.number(offer?.roundNumber ?? NONE);
  ring.number(offer?.percentE2 ?? NONE);
  ring.number(offer?.oddsE4 ?? NONE);
  ring.number(offer?.entryPercentE2 ?? NONE);
  ring.number(offer?.payoutCents ?? NONE);
  ring.number(rests === null ? NONE : rests ? 1 : 0);
  ring.number(inParts === null ? 0 : 1);
  if (inParts !== null) putParts(ring, inParts);
  ring.send();
  return true;
}

const refusalCells = (refusal: QuoteRefusal | null): number => 1 + textCells(refusal?.detail ?? null);

function putRefusal(ring: RingProducer, refusal: QuoteRefusal | null): void {
  ring.number(refusal === null ? NONE : (CODE_NUMBERS.get(refusal.code) as number));
  ring.text(refusal?.detail ?? null);
}

function putParts(ring: RingProducer, parts: PartsReply): void {
  ring.number(parts.stakeCents);
  ring.number(parts.placed);
  ring.number(parts.resting);
  putRefusal(ring, parts.refusal);
  ring.number(parts.odds?.meanE4 ?? NONE);
  ring.number(parts.odds?.leastE4 ?? NONE);
  ring.number(parts.payoutCents);
}

export function readQuote(ring: RingConsumer): QuoteReply {
  const timeMs = ring.number();
  const refusal = takeRefusal(ring);
  const offer = {
    roundNumber: ring.number(),
    percentE2: ring.number(),
    oddsE4: ring.number(),
    entryPercentE2: ring.number(),
    payoutCents: ring.number(),
  };
  const rests = ring.number();
  return {
    timeMs,
    rests: rests === NONE ? null : rests === 1,
    offer: offer.roundNumber === NONE ? null : offer,
    refusal,
    inParts: ring.number() === 1 ? takeParts(ring) : null,
  };
}

function takeRefusal(ring: RingConsumer): QuoteRefusal | null {
  const code = ring.number();
  const detail = ring.text() ?? '';
  return code === NONE ? null : { code: textAt(CODES, code), detail };
}

function takeParts(ring: RingConsumer): PartsReply {
  const [stakeCents, placed, resting] = [ring.number(), ring.number(), ring.number()];
  const refusal = takeRefusal(ring);
  const odds = { meanE4: ring.number(), leastE4: ring.number() };
  return {
    stakeCents,
    placed,
    resting,
    refusal,
    odds: odds.meanE4 === NONE ? null : odds,
    payoutCents: ring.number(),
  };
}
