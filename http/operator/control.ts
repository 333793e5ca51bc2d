/** Operator routes that control trading: the switch, markets and rounds (design, section 8). */
import typia, { type tags } from 'typia';
import { ASSETS, type Asset, marketId, marketOf, parseRoundId, roundId } from '../../engine/model/domain.js';
import { readBody } from '../kit/body.js';
import { Refused } from '../kit/refused.js';
import { type Asking, answer, asking, type Call, type Reason, type Reasoned, type Route } from './call.js';

/** Clients are told the reason in the 503 of their orders. */
export interface TradingBody extends Reasoned {
  readonly enabled: boolean;
}
export interface MarketBody extends Reasoned {
  readonly suspended: boolean;
}
export interface VoidRoundBody {
  readonly reason: Reason & tags.MinLength<1>;
}

export interface ConfirmPriceBody {
  readonly price: number;
  readonly reason: Reason & tags.MinLength<1>;
}

const validateConfirm = typia.createValidateEquals<ConfirmPriceBody>();
const validateTrading = typia.createValidateEquals<TradingBody>();
const validateMarket = typia.createValidateEquals<MarketBody>();
const validateVoid = typia.createValidateEquals<VoidRoundBody>();

export const controlRoutes: readonly Route[] = [
  { method: 'PUT', path: '/trading', role: 'admin', handle: setTrading },
  { method: 'PATCH', path: '/markets/{id}', role: 'admin', handle: suspendMarket },
  { method: 'POST', path: '/rounds/{id}/void', role: 'admin', handle: voidRound },
  { method: 'POST', path: '/prices/{crypto}/confirm', role: 'admin', handle: confirmPrice },
];

function setTrading({ request }: Call): Asking | Refused {
  const body = readBody(request, validateTrading);
  if (body instanceof Refused) return body;
  const { enabled, reason = '' } = body;
  return asking('setTrading', { enabled, reason }, () => answer(200, { enabled, reason }));
}

function suspendMarket({ params, request }: Call): Asking | Refused {
  const market = marketOf(params[0] ?? '');
  const body = readBody(request, validateMarket);
  if (body instanceof Refused) return body;
  const { suspended } = body;
  return asking('suspendMarket', { market, suspended }, () =>
    answer(200, { id: marketId(market), suspended }),
  );
}

function voidRound({ params, request }: Call): Asking | Refused {
  const round = parseRoundId(params[0] ?? '');
  if (round === null) return new Refused('round_not_found', 'no such round');
  const body = readBody(request, validateVoid);
  if (body instanceof Refused) return body;
  const { reason } = body;
  const { market, roundNumber } = round;
  return asking('voidRound', { market, roundNumber, reason }, () =>
    answer(200, { id: roundId(market, roundNumber), voided: true, reason }),
  );
}

/** Believes a price that is held back as absurd. `price` says which: it may have changed since the operator saw it. */
function confirmPrice({ params, request }: Call): Asking | Refused {
  const asset = ASSETS.indexOf(params[0] as Asset);
  if (asset < 0) return new Refused('not_found', `no such asset; known are ${ASSETS.join(', ')}`);
  const body = readBody(request, validateConfirm);
  if (body instanceof Refused) return body;
  const { price, reason } = body;
  return asking('confirmPrice', { asset, price, reason }, (confirmed) =>
    answer(200, { crypto: ASSETS[asset], price: confirmed, reason }),
  );
}
