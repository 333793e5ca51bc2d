/** The orders of a run: complete requests, their accounts, and their outcomes. */
import { must } from '../../engine/base/assert.js';
import { orderRequest } from '../client/http-request.js';
import type { Expectation, RequestTemplate } from '../client/job.js';
import { Acknowledged } from '../tote/audit.js';
import { type Bettor, type MarketState, marketsForRun, openMarkets } from '../tote/bettors.js';
import type { ToteServer } from '../tote/server.js';
import { catchUp } from '../tote/shadow.js';
import { captureAnswer, type WireAnswer } from './answer.js';
import type { Target } from './rows.js';

export const TOTE = 'tote: POST /v1/orders';
const STAKE_DOLLARS = 1;
export const PLACED = '{"success":true,"data":{"bet":{"id":"bet_';
export const LIMIT_HEADERS = ['X-RateLimit-Limit:', 'X-RateLimit-Remaining:', 'X-RateLimit-Reset:'];

export interface Book {
  readonly templates: readonly RequestTemplate[];
  readonly bettors: readonly Bettor[];
  readonly markets: readonly MarketState[];
  readonly sample: WireAnswer;
  readonly acknowledged: Acknowledged;
}

/** Records the state of the rounds, then captures a sample answer. Its order counts like every other. */
export async function openBook(
  server: ToteServer,
  bettors: readonly Bettor[],
  neededMs: number,
): Promise<Book> {
  const first = must(bettors[0], 'bettor');
  await openMarkets(server, first.apiKey);
  const markets = await marketsForRun(server, first.apiKey, neededMs);
  const templates = orderTemplates(bettors, markets);
  const acknowledged = new Acknowledged();
  const sample = await captureAnswer('127.0.0.1', server.port, must(templates[0], 'template').text);
  if (sample.status !== 201) throw new Error(`the first order was answered ${sample.status}: ${sample.body}`);
  acknowledged.addOne(first, STAKE_DOLLARS * 100);
  return { templates, bettors, markets, sample, acknowledged };
}

/** Accounts and markets round-robin, alternating sides, so that pools stay even. */
export function orderTemplates(
  bettors: readonly Bettor[],
  markets: readonly MarketState[],
  /** With it, an order is refused unless the side's percent is close to this. */
  expectedPercent?: number,
): RequestTemplate[] {
  const both = markets.length * 2;
  const count = Math.ceil(bettors.length / both) * both;
  return Array.from({ length: count }, (_, at) => {
    const { apiKey } = must(bettors[at % bettors.length], 'bettor');
    const marketId = must(markets[at % markets.length], 'market').id;
    const prediction = Math.floor(at / markets.length) % 2 === 0 ? 'UP' : 'DOWN';
    const bet = { marketId, prediction, amount: STAKE_DOLLARS };
    const guard = expectedPercent === undefined ? {} : { expectedPercent };
    return {
      ...orderRequest(apiKey, 'bench-', { ...bet, ...guard }),
      expect: 0,
      stakeCents: STAKE_DOLLARS * 100,
    };
  });
}

/** A placed bet; `numbered` if each answer must name a different bet. */
export const placed = (numbered: boolean): Expectation[] => [
  { protocol: 'http', status: 201, bodyStart: PLACED, numbered, headers: LIMIT_HEADERS },
];

export function toteTarget(server: ToteServer, book: Book): Target {
  const { templates, bettors, acknowledged } = book;
  return {
    name: TOTE,
    process: server.process,
    port: server.port,
    templates,
    expectations: placed(true),
    catchUp: () => catchUp(server),
    onResult: ({ client }) =>
      acknowledged.add(client, templates, (at) => must(bettors[at % bettors.length], 'bettor')),
  };
}
