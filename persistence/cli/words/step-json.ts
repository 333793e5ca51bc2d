/**
 * A command and its events as a JSON object: ids, names and times as in the API, amounts and odds as integers with the
 * unit in the name (`stakeCents`, `oddsE4`). Digests of keys and of Idempotency-Keys are left out.
 */
import {
  ASSETS,
  accountId,
  BET_ENDS,
  betId,
  keyId,
  marketId,
  ROUND_RESULTS,
  roundId,
  SIDES,
  scopesOf,
  TIERS,
  textAt,
} from '../../../engine/model/domain.js';
import type { Step } from '../../replay/history.js';
import { isoText } from '../frame/format.js';

type Fields = Readonly<Record<string, unknown>>;

export function stepJson({ seq, command, events }: Omit<Step, 'engine'>): Fields {
  return {
    seq,
    time: isoText(command.timeMs),
    kind: command.kind,
    command: fieldsOf(command),
    events: events.map((event) => ({ type: event.type, ...fieldsOf(event) })),
  };
}

/** With names for numbers; kind, type and time are elsewhere. */
function fieldsOf(from: object): Fields {
  const fields: [name: string, value: unknown][] = [];
  const round = from as { market?: number; roundNumber?: number };
  for (const [name, value] of Object.entries(from)) {
    if (name === 'kind' || name === 'type' || name === 'timeMs' || name === 'digest') continue;
    if (name === 'roundNumber') fields.push(['round', roundId(round.market ?? -1, Number(value))]);
    else if (name === 'scopesMask') fields.push(['scopes', scopesOf(Number(value))]);
    else if (name === 'idempotency') fields.push(['hasIdempotencyKey', value !== null]);
    else if (name.endsWith('Ms')) fields.push(timeField(name, value));
    else if (typeof value === 'number') fields.push(numberField(name, value, from));
    else fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

function numberField(name: string, value: number, from: object): [name: string, value: unknown] {
  switch (name) {
    case 'account':
      return [name, value === 0 ? 'house' : accountId(value)];
    case 'bet':
      return [name, betId(value)];
    case 'key':
      return [name, keyId(value)];
    case 'market':
      return [name, value < 0 ? null : marketId(value)];
    case 'asset':
      return [name, textAt(ASSETS, value)];
    case 'side':
      return [name, textAt(SIDES, value)];
    case 'tier':
      return [name, textAt(TIERS, value)];
    case 'result':
      return [name, textAt('bet' in from ? BET_ENDS : ROUND_RESULTS, value)];
    default:
      return [name, value];
  }
}

/** `boundaryMs` is `boundary`, `priceTimeMs` is `priceTime`: a time in ISO 8601. */
const timeField = (name: string, value: unknown): [name: string, value: unknown] => [
  name.slice(0, -'Ms'.length),
  typeof value === 'number' ? isoText(value) : null,
];
