/** The reply to an order that is only quoted: as those of `replies.ts`. */
import { textAt } from '../../engine/model/domain.js';
import type { OfferView } from '../../engine/model/views.js';
import { begin, CODE_NUMBERS, CODES, QUOTE, type RefusalFacts } from './replies.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

export interface QuoteReply {
  /** When the order would have been placed. */
  readonly timeMs: number;
  readonly offer: OfferView | null;
  readonly refusal: Pick<RefusalFacts, 'code' | 'detail'> | null;
  /** Whether a limit order would rest. */
  readonly rests: boolean | null;
}

const OFFER_CELLS = 6;
const NONE = -1;

/** Returns false if the ring is full; then nothing was sent. */
export function sendQuote(
  ring: RingProducer,
  ticket: number,
  { timeMs, offer, refusal, rests }: QuoteReply,
): boolean {
  const detail = refusal?.detail ?? null;
  if (!begin(ring, 2 + textCells(detail) + OFFER_CELLS, QUOTE, ticket)) return false;
  ring.number(timeMs);
  ring.number(refusal === null ? NONE : (CODE_NUMBERS.get(refusal.code) as number));
  ring.text(detail);
  ring.number(offer?.roundNumber ?? NONE);
  ring.number(offer?.percentE2 ?? NONE);
  ring.number(offer?.oddsE4 ?? NONE);
  ring.number(offer?.entryPercentE2 ?? NONE);
  ring.number(offer?.payoutCents ?? NONE);
  ring.number(rests === null ? NONE : rests ? 1 : 0);
  ring.send();
  return true;
}

export function readQuote(ring: RingConsumer): QuoteReply {
  const timeMs = ring.number();
  const code = ring.number();
  const detail = ring.text() ?? '';
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
    refusal: code === NONE ? null : { code: textAt(CODES, code), detail },
  };
}
