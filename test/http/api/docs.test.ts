/** The guide for authors of bots is right: its rules, its examples and its betHash are checked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import typia from 'typia';
import { defaultRules } from '../../../engine/model/rules.js';
import { rulesSection } from '../../../http/pages/guide-rules.js';
import type { Account, OrderQuote, SeenOrder } from '../../../http/wire/account-types.js';
import type { LedgerEntry, SettledRound } from '../../../http/wire/archive-types.js';
import type { ServerTime } from '../../../http/wire/service-types.js';
import type {
  Market,
  OrderRequest,
  OrderResult,
  Position,
  Price,
  RoundDetail,
} from '../../../http/wire/types.js';
import { codeBlocks, readDocument } from '../../support/document.js';
import { betFault } from '../../support/engine/bet-fault.js';

const pages = ['concepts', 'reliable-orders', 'api'].map((name) => readDocument(`docs/bots/${name}.md`));

interface Success<T> {
  success: true;
  data: T;
}

interface OddsChanged {
  success: false;
  error: 'odds_changed';
  current: { percent: number; oddsAtBet: number };
}

const isExample = typia.createEquals<
  | Success<Market>
  | Success<OrderResult>
  | Success<RoundDetail>
  | (Success<Position[]> & { nextCursor: string | null })
  | (Success<SettledRound[]> & { nextCursor: string | null })
  | (Success<LedgerEntry[]> & { nextCursor: string | null })
  | Success<Price[]>
  | Success<ServerTime>
  | Success<Account>
  | Success<SeenOrder>
  | Success<OrderQuote>
  | OddsChanged
  | OrderRequest
>();

const examples = codeBlocks(pages.join(''), 'json').map((text): unknown => JSON.parse(text));

test('its section on the rules has the defaults', () => {
  const section = rulesSection(defaultRules(''));
  assert.ok(pages[0]?.includes(`\n${section}\n## `), section);
});

test('its examples have the fields of the API', () => {
  assert.equal(examples.length, 15);
  for (const example of examples) assert.ok(isExample(example), JSON.stringify(example));
});

test('its bet verifies against its round', () => {
  const isOrder = typia.createIs<Success<OrderResult>>();
  const isRound = typia.createIs<Success<RoundDetail>>();
  const order = examples.find(isOrder);
  const round = examples.find(isRound);
  assert.ok(order !== undefined && round !== undefined && round.data.seed !== null);
  const { id, seed, seedCommitment } = round.data;
  const evidence = { bet: order.data.bet, clientSeed: 'my seed', roundId: id, seed, seedCommitment };
  assert.equal(betFault(evidence), null);
});
