/** Reads a client's message, or says what is wrong with it. */
import { createIs, createValidateEquals, type IValidation } from 'typia';
import { marketOf } from '../../engine/model/domain.js';
import { readJson, refuseForm, refuseIllFormed, refuseRepeated } from '../kit/body.js';
import { invalid, Refused } from '../kit/refused.js';
import type {
  MessageId,
  Ping,
  StreamCancel,
  StreamCancelAll,
  StreamDeadman,
  StreamOrder,
  Subscribe,
  Unsubscribe,
} from '../wire/stream-requests.js';
import { MESSAGE_BYTES_MAX } from './limits.js';

/** The order is read as for POST /orders. */
type UnreadOrder = Omit<StreamOrder, 'order'> & { order: unknown };

/** Goes through the checks and limits of the API. */
export type ApiRequest = UnreadOrder | StreamCancel | StreamCancelAll | StreamDeadman;

export type Request = Subscribe | Unsubscribe | Ping | ApiRequest;

/** `id` is null if it could not be read. */
export interface BadRequest {
  readonly id: number | null;
  readonly refused: Refused;
}

const isId = createIs<MessageId>();

const VALIDATORS: Readonly<Record<Request['op'], (value: unknown) => IValidation<Request>>> = {
  subscribe: createValidateEquals<Subscribe>(),
  unsubscribe: createValidateEquals<Unsubscribe>(),
  ping: createValidateEquals<Ping>(),
  order: createValidateEquals<UnreadOrder>(),
  cancel: createValidateEquals<StreamCancel>(),
  cancelAll: createValidateEquals<StreamCancelAll>(),
  deadman: createValidateEquals<StreamDeadman>(),
};
export const OPS = Object.keys(VALIDATORS);
const isOp = (op: unknown): op is Request['op'] => typeof op === 'string' && OPS.includes(op);

const NO_TEXT = invalid('messages are texts, not bytes');
const NO_OBJECT = invalid('a message is a JSON object');
const NO_OP = invalid(`op must be one of ${OPS.join(', ')}`);
const NO_ORDER = invalid('order is missing; expected an object');
const TOO_LARGE = new Refused('body_too_large', `a message has at most ${MESSAGE_BYTES_MAX} bytes`);

export function readRequest(bytes: Uint8Array, isBinary: boolean): Request | BadRequest {
  let id: number | null = null;
  try {
    const { given, repeated } = readObject(bytes, isBinary);
    id = isId(given.id) && repeated !== 'id' ? given.id : null;
    return repeated === null ? requestIn(given) : refuseRepeated(repeated);
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return { id, refused };
  }
}

interface Given {
  readonly op?: unknown;
  readonly id?: unknown;
}

function readObject(bytes: Uint8Array, isBinary: boolean): { given: Given; repeated: string | null } {
  if (isBinary) throw NO_TEXT;
  if (bytes.length > MESSAGE_BYTES_MAX) throw TOO_LARGE;
  const { value, repeated } = readJson(bytes, 'the message');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw NO_OBJECT;
  return { given: value, repeated };
}

/** The types allow a missing `order`, and texts that UTF-8 cannot represent. */
function requestIn(given: Given): Request {
  if (!isOp(given.op)) throw NO_OP;
  const result = VALIDATORS[given.op](given);
  if (!result.success) return refuseForm(result.errors);
  const request = result.data;
  if (request.op !== 'order') refuseIllFormed(request);
  else {
    // `orderOf` checks the order itself.
    const { order, ...envelope } = request;
    if (order === undefined) throw NO_ORDER;
    refuseIllFormed(envelope);
  }
  return request;
}

const NO_MARKETS = invalid('markets is for the channels markets and rounds only');
const NO_SINCE = invalid('since and run are for the channels rounds and fills only');

/** The reason why nobody can have such a subscription, or null. */
export function refuseSubscribe({ channel, markets, since, run }: Subscribe): Refused | null {
  if (markets !== undefined && channel !== 'markets' && channel !== 'rounds') return NO_MARKETS;
  if ((since ?? run) !== undefined && channel !== 'rounds' && channel !== 'fills') return NO_SINCE;
  const unknown = markets?.find((id) => marketOf(id) < 0);
  return unknown === undefined ? null : new Refused('market_not_found', `no market has the id ${unknown}`);
}
