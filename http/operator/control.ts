/** Operator routes that control trading: the switch, markets, rounds and the house (design, section 8). */
import typia, { type tags } from 'typia';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { marketId, marketOf, parseRoundId, roundId } from '../../engine/model/domain.js';
import { readBody } from '../kit/body.js';
import { Refused } from '../kit/refused.js';
import { transferResult, validateTransfer } from './accounts.js';
import { answer, type Call, type Result, type Route, readCents, taken } from './call.js';
import { houseResource } from './resources.js';

type Reason = string & tags.MaxLength<500>;

interface TradingBody {
  readonly enabled: boolean;
  readonly reason?: Reason;
}
interface MarketBody {
  readonly suspended: boolean;
}
interface VoidBody {
  readonly reason: Reason & tags.MinLength<1>;
}

const validateTrading = typia.createValidateEquals<TradingBody>();
const validateMarket = typia.createValidateEquals<MarketBody>();
const validateVoid = typia.createValidateEquals<VoidBody>();

export function controlRoutes(sequencer: Sequencer): readonly Route[] {
  return [
    { method: 'PUT', path: '/trading', handle: (call) => setTrading(sequencer, call) },
    { method: 'PATCH', path: '/markets/{id}', handle: (call) => suspendMarket(sequencer, call) },
    { method: 'POST', path: '/rounds/{id}/void', handle: (call) => voidRound(sequencer, call) },
    {
      method: 'GET',
      path: '/house',
      handle: () => answer(200, houseResource(sequencer.engine.totals()), sequencer.engine.seq),
    },
    { method: 'POST', path: '/house/deposits', handle: (call) => depositHouse(sequencer, call) },
  ];
}

function setTrading(sequencer: Sequencer, call: Call): Result {
  const body = readBody(call.request, validateTrading);
  if (body instanceof Refused) return body;
  const { enabled, reason = '' } = body;
  const outcome = taken(
    sequencer.submit({ kind: 'setTrading', timeMs: sequencer.stampMs(), enabled, reason }),
  );
  return outcome instanceof Refused ? outcome : answer(200, { enabled, reason }, outcome.seq);
}

function suspendMarket(sequencer: Sequencer, call: Call): Result {
  const market = marketOf(call.params[0] ?? '');
  const body = readBody(call.request, validateMarket);
  if (body instanceof Refused) return body;
  const { suspended } = body;
  const outcome = taken(
    sequencer.submit({ kind: 'suspendMarket', timeMs: sequencer.stampMs(), market, suspended }),
  );
  if (outcome instanceof Refused) return outcome;
  return answer(200, { id: marketId(market), suspended }, 'all');
}

function voidRound(sequencer: Sequencer, call: Call): Result {
  const round = parseRoundId(call.params[0] ?? '');
  if (round === null) return new Refused('round_not_found', 'no such round');
  const body = readBody(call.request, validateVoid);
  if (body instanceof Refused) return body;
  const { reason } = body;
  const outcome = taken(
    sequencer.submit({ kind: 'voidRound', timeMs: sequencer.stampMs(), ...round, reason }),
  );
  if (outcome instanceof Refused) return outcome;
  return answer(200, { id: roundId(round.market, round.roundNumber), voided: true, reason }, 'all');
}

function depositHouse(sequencer: Sequencer, call: Call): Result {
  const body = readBody(call.request, validateTransfer);
  if (body instanceof Refused) return body;
  const { amount, reference } = body;
  const amountCents = readCents('amount', amount);
  if (amountCents instanceof Refused) return amountCents;
  const timeMs = sequencer.stampMs();
  const deposited = transferResult(
    sequencer.submit({ kind: 'depositHouse', timeMs, amountCents, reference }),
  );
  return deposited instanceof Refused ? deposited : { ...deposited, after: 'all' };
}
