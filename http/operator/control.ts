/** Operator routes that steer trading: the switch, markets, rounds and the house (design, section 8). */
import typia, { type tags } from 'typia';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { marketId, marketOf, parseRoundId, roundId } from '../../engine/model/domain.js';
import { transferAnswer, validateTransfer } from './accounts.js';
import { type Answer, answer, type Call, Refusal, type Route, readBody, readCents, taken } from './call.js';
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

function setTrading(sequencer: Sequencer, call: Call): Answer {
  const { enabled, reason = '' } = readBody(call, validateTrading);
  const { seq } = taken(
    sequencer.submit({ kind: 'setTrading', timeMs: sequencer.stampMs(), enabled, reason }),
  );
  return answer(200, { enabled, reason }, seq);
}

function suspendMarket(sequencer: Sequencer, call: Call): Answer {
  const market = marketOf(call.params[0] ?? '');
  const { suspended } = readBody(call, validateMarket);
  taken(sequencer.submit({ kind: 'suspendMarket', timeMs: sequencer.stampMs(), market, suspended }));
  return answer(200, { id: marketId(market), suspended }, 'all');
}

function voidRound(sequencer: Sequencer, call: Call): Answer {
  const round = parseRoundId(call.params[0] ?? '');
  if (round === null) throw new Refusal('round_not_found', 'no such round');
  const { reason } = readBody(call, validateVoid);
  taken(sequencer.submit({ kind: 'voidRound', timeMs: sequencer.stampMs(), ...round, reason }));
  return answer(200, { id: roundId(round.market, round.roundNumber), voided: true, reason }, 'all');
}

function depositHouse(sequencer: Sequencer, call: Call): Answer {
  const { amount, reference } = readBody(call, validateTransfer);
  const amountCents = readCents('amount', amount);
  const timeMs = sequencer.stampMs();
  const deposited = transferAnswer(
    sequencer.submit({ kind: 'depositHouse', timeMs, amountCents, reference }),
  );
  return { ...deposited, after: 'all' };
}
