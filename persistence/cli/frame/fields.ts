/**
 * Commands, events and views of the engine as fields for JSON: ids, names and times as in the API, amounts and odds as
 * integers with the unit in the name (`stakeCents`, `oddsE4`). Digests of keys and of Idempotency-Keys are left out.
 */
import { isoText } from '../../../engine/base/iso-text.js';
import {
  ASSETS,
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
import { ownerText } from '../../archive/reader/entries.js';

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(from: object): Fields {
  const fields: [name: string, value: unknown][] = [];
  const round = from as { market?: number; roundNumber?: number };
  for (const [name, value] of Object.entries(from)) {
    if (name === 'digest') continue;
    if (isNone(name, value)) fields.push([name.replace(/Ms$/, ''), null]);
    else if (name === 'roundNumber') fields.push(['round', roundId(round.market ?? -1, Number(value))]);
    else if (name === 'scopesMask') fields.push(['scopes', scopesOf(Number(value))]);
    else if (name === 'idempotency') fields.push(['hasIdempotencyKey', value !== null]);
    else if (name.endsWith('Ms')) fields.push(timeField(name, value));
    else if (typeof value === 'number') fields.push([name, (NAMED[name] ?? AS_IT_IS)(value, from)]);
    else fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

/** Numbers that stand for nothing. */
const isNone = (name: string, value: unknown): boolean =>
  value === 0
    ? ['bet', 'limitOddsE4', 'validUntilMs'].includes(name)
    : name.endsWith('E6') && Number(value) < 0;

type Naming = (value: number, from: object) => unknown;
const AS_IT_IS: Naming = (value) => value;
const NAMED: Readonly<Record<string, Naming>> = {
  account: ownerText,
  bet: betId,
  key: keyId,
  market: (market) => (market < 0 ? null : marketId(market)),
  asset: (asset) => textAt(ASSETS, asset),
  side: (side) => textAt(SIDES, side),
  tier: (tier) => textAt(TIERS, tier),
  result: (result, from) => textAt('bet' in from ? BET_ENDS : ROUND_RESULTS, result),
};

/** `boundaryMs` is `boundary`, `priceTimeMs` is `priceTime`: a time in ISO 8601. */
const timeField = (name: string, value: unknown): [name: string, value: unknown] => [
  name.slice(0, -'Ms'.length),
  typeof value === 'number' ? isoText(value) : null,
];
