/**
 * Updates in an event of the Hermes stream. Prices are whole numbers with a power of ten, sent as text; times are whole
 * seconds.
 */
import typia, { type tags } from 'typia';
import { parsedJson } from '../../engine/base/attempt.js';
import { hermesId } from './symbols.js';

interface Sent {
  readonly id: string & tags.MinLength<64> & tags.MaxLength<66>;
  readonly price: {
    readonly price: string & tags.Pattern<'^[0-9]{1,20}$'>;
    readonly conf: string & tags.Pattern<'^[0-9]{1,20}$'>;
    readonly expo: number & tags.Type<'int32'> & tags.Minimum<-18> & tags.Maximum<18>;
    /** Seconds since 1970. */
    readonly publish_time: number & tags.Type<'uint32'>;
  };
  readonly metadata?: { readonly slot?: (number & tags.Minimum<0>) | null };
}
interface Envelope {
  readonly parsed?: readonly unknown[] | null;
  readonly binary?: { readonly data: readonly string[] } | null;
}
const isEnvelope = typia.createIs<Envelope>();
const isSent = typia.createIs<Sent>();

/**
 * `malformed` counts entries that are not in the service's form, and 1 for a whole event; `signed` is as Pyth's guardians
 * signed all of them, in base64, or '' where the service does not say.
 */
export function readUpdates(text: string) {
  const value = parsedJson(text);
  if (!isEnvelope(value)) return { updates: [], malformed: 1, signed: '' };
  const entries = value.parsed ?? [];
  const sound = entries.filter(isSent);
  return {
    updates: sound.map(updateOf),
    malformed: entries.length - sound.length,
    signed: value.binary?.data.join(' ') ?? '',
  };
}

export type HermesUpdate = Readonly<ReturnType<typeof updateOf>>;
function updateOf({ id, price: { price, conf, expo, publish_time }, metadata }: Sent) {
  const slot = metadata?.slot ?? 0;
  return {
    id: hermesId(id),
    // Parsed as one number, so no multiplication rounds it.
    price: Number(`${price}e${expo}`),
    /** Half the width of the interval in which the service expects the price, as a part of the price. */
    unsureBy: Number(conf) / Number(price),
    publishTimeMs: publish_time * 1_000,
    /** Grows with every update of the service; 0 where it does not say. */
    slot,
    /** For people and proofs: what the service signed, found again under this id and time. */
    origin: `${id} slot ${slot} confidence ${conf}e${expo}`,
  };
}

export type Heard = Pick<HermesUpdate, 'publishTimeMs' | 'slot' | 'price'>;

/**
 * Seconds are too coarse to order updates, slots may be missing, and the service repeats the last price of a market
 * that is closed.
 */
export function isNews(update: Heard, last: Heard | undefined): boolean {
  if (last === undefined || update.publishTimeMs > last.publishTimeMs) return true;
  if (update.publishTimeMs < last.publishTimeMs) return false;
  if (update.slot !== 0 && update.slot < last.slot) return false;
  return update.price !== last.price;
}
