/** The API guide is right: its error table, its examples and its betHash are checked. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import typia from 'typia';
import { ERROR_STATUS, type ErrorCode } from '../../../engine/model/errors.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { MEANINGS } from '../../../http/openapi/failures.js';
import { rulesSection } from '../../../http/pages/guide-rules.js';
import type { Account, OrderQuote, SeenOrder } from '../../../http/wire/account-types.js';
import type { LedgerEntry, SettledRound } from '../../../http/wire/past-types.js';
import type { Limits, ServerTime } from '../../../http/wire/service-types.js';
import type { Market, OrderResult, Position, Price, RoundDetail, Success } from '../../../http/wire/types.js';
import { betFault } from '../../support/engine/bet-fault.js';

/** From the compiled test, two folders below the build folder, which lies in the project's root. */
const guide = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');

/** Codes that only the operator API answers. */
const NOT_PUBLIC: readonly ErrorCode[] = [
  'price_refused',
  'invalid_operator_token',
  'client_certificate_required',
  'invalid_session',
  'csrf_refused',
  'insufficient_role',
  'standby',
  'account_not_found',
  'key_not_found',
  'reference_conflict',
  'too_many_keys',
  'round_already_resolved',
  'clock_not_manual',
  'feed_not_push',
  'preview_outdated',
  'price_not_held',
];

/** The failure of an order that had `minOdds`. */
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
  | Success<Limits>
  | Success<Account>
  | Success<SeenOrder>
  | Success<OrderQuote>
  | OddsChanged
>();

const examples = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']): unknown => JSON.parse(text));

test('the error table is what the API document says, which is the registry without what only operators see', () => {
  const rows = [...guide.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.*) \|$/gm)].map(
    ([, status, code, meaning]) => [code, Number(status), meaning],
  );
  const isPublic = ([code]: [string, number]) => !NOT_PUBLIC.some((other) => other === code);
  const documented = Object.entries(ERROR_STATUS)
    .filter(isPublic)
    .map(([code, status]) => [code, status, new Map<string, string>(Object.entries(MEANINGS)).get(code)]);
  assert.deepEqual(rows.toSorted(), documented.toSorted());
});

test('its section on the rules has the defaults', () => {
  const section = rulesSection(defaultRules(''));
  assert.ok(guide.includes(`\n${section}\n## `), section);
});

test('its examples have the fields of the API', () => {
  assert.equal(examples.length, 14);
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
