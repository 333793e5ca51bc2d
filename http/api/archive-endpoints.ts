/** The endpoints that the archive answers, and the keys with which proofs are signed. */
import { envelopeResponse, listOf, okResponse, pageResponse } from '../openapi/common.js';
import { EXAMPLES } from '../openapi/examples.js';
import {
  cursorParameter,
  fromParameter,
  limitParameter,
  marketIdParameter,
  orderIdParameter,
  roundIdParameter,
  roundsOfMarketParameter,
  toParameter,
} from '../openapi/parameters.js';
import { type JsonObject, schemaRef } from '../openapi/schemas.js';
import type { Endpoint } from './endpoint.js';
import { ARCHIVE_LIMIT_DEFAULT } from './lists/archive-queries.js';
import * as proofs from './proofs.js';
import * as reads from './reads.js';

const KEYS: JsonObject = {
  data: listOf('SigningKey', 1_000),
  head: {
    oneOf: [schemaRef('JournalHead'), { type: 'null' }],
    description: "The journal's newest signed head; null before the first.",
  },
};

export const ARCHIVE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/rounds',
    scope: 'markets:read',
    handle: reads.rounds,
    operationId: 'listRounds',
    tag: 'Markets',
    summary: 'Settled rounds with their results, the last to start first',
    text: 'All rounds that the server has ever settled, with prices, pools and volumes.',
    parameters: [
      roundsOfMarketParameter,
      fromParameter,
      toParameter,
      limitParameter(ARCHIVE_LIMIT_DEFAULT),
      cursorParameter,
    ],
    success: pageResponse('Settled rounds.', 'SettledRound', { newest: EXAMPLES.rounds }),
    failures: ['BadParameter', 'MarketNotFound', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/markets/{id}/rounds',
    scope: 'markets:read',
    handle: reads.marketRounds,
    operationId: 'listMarketRounds',
    tag: 'Markets',
    summary: 'Settled rounds of one market, the newest first',
    parameters: [marketIdParameter, limitParameter(ARCHIVE_LIMIT_DEFAULT), cursorParameter],
    success: pageResponse('Settled rounds of the market.', 'SettledRound', { newest: EXAMPLES.marketRounds }),
    failures: ['BadParameter', 'MarketNotFound', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/account/ledger',
    scope: 'positions:read',
    handle: reads.ledger,
    operationId: 'getLedger',
    tag: 'Orders',
    summary: 'Every movement of your money, newest first',
    text:
      'From the first deposit on: the amounts of all entries up to one add up to its `balanceAfter`. A lost bet moves ' +
      'nothing when it is settled, so it has only the entry of its stake. Whatever was acknowledged before the request ' +
      'is in the answer.',
    parameters: [limitParameter(ARCHIVE_LIMIT_DEFAULT), cursorParameter],
    success: pageResponse('Your ledger.', 'LedgerEntry', { newest: EXAMPLES.ledger }),
    failures: ['BadParameter', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/rounds/{id}/proof',
    scope: 'markets:read',
    handle: proofs.roundProof,
    operationId: 'getRoundProof',
    tag: 'Markets',
    summary: 'Evidence to check a settled round without trusting the server',
    text: 'For every round that the server has ever settled, with a signed statement. The page /docs/proofs shows how to check it.',
    parameters: [roundIdParameter],
    success: okResponse('The proof.', 'RoundProof', { settled: EXAMPLES.roundProof }),
    failures: ['BadParameter', 'RoundNotFound', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/orders/{id}/proof',
    scope: 'positions:read',
    handle: proofs.orderProof,
    operationId: 'getOrderProof',
    tag: 'Orders',
    summary: 'That one of your bets is under the Merkle root of its round',
    text: 'Once the round is settled. The root was put on record, and sent over the stream, when the round locked.',
    parameters: [orderIdParameter],
    success: okResponse('The proof.', 'OrderProof', { settled: EXAMPLES.orderProof }),
    failures: ['BadParameter', 'ProofNotFound', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/orders/{id}/receipt',
    scope: 'positions:read',
    handle: proofs.orderReceipt,
    operationId: 'getOrderReceipt',
    tag: 'Orders',
    summary: "The server's signature that one of your bets is in its journal",
    text: 'From the answer to the order on, and the same until the signing key is rotated. An order that rests has none until it is filled.',
    parameters: [orderIdParameter],
    success: okResponse('The receipt.', 'Receipt', { placed: EXAMPLES.receipt }),
    failures: ['BadParameter', 'ProofNotFound', 'PastNotRead'],
  },
  {
    method: 'GET',
    path: '/keys',
    scope: 'markets:read',
    handle: proofs.signingKeys,
    operationId: 'listSigningKeys',
    tag: 'Service',
    summary:
      "The public keys with which the server signs, the one in use first, and the journal's signed head",
    text:
      'Keys that are no longer in use stay listed: what they signed can be checked for ever. Keep `head`: a journal that lacks what ' +
      'was in it then shows itself.',
    success: envelopeResponse('The keys.', 200, KEYS, { keys: EXAMPLES.keys }),
    failures: ['BadRequest'],
  },
];
