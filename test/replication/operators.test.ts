/** Facts of replication for operators: status, metrics and readiness of leader and standby, with real NATS servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaderStatus, StandbyStatus } from '../../http/metrics/replication.js';
import { askUntil } from '../support/ask-until.js';
import { ConsoleClient } from '../support/console/console-client.js';
import { Client } from '../support/http/client.js';
import { scrape } from '../support/processes/scrape.js';
import { NO_NATS } from '../support/replication/nats.js';
import { event, type Pair, place, startPair, TOKEN } from '../support/replication/replicated.js';

const options = { skip: NO_NATS };

interface Status {
  readonly ordersRefused: string | null;
  readonly replication: LeaderStatus;
}

async function lookAt({ run }: Pair['b']) {
  const { operatorUrl } = (await event(run, 'standby_listening')) as { operatorUrl: string };
  const standby = new Client(`${operatorUrl}/operator/v1`, { Authorization: `Bearer ${TOKEN}` });
  return { operatorUrl, look: async () => (await standby.get<StandbyStatus>('/status')).data };
}

test('what operators are told of replication', options, async (t) => {
  const pair = await startPair(t);
  await t.test('leader and standby tell roles, stream, lease and lag', () => rolesAreTold(pair));
  await t.test('without its quorum the leader is not ready, and says why', () => quorumIsMissed(pair));
});

async function rolesAreTold({ leader, b, bettor }: Pair): Promise<void> {
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  const { operatorUrl, look } = await lookAt(b);
  const status = await askUntil(
    async () => (await leader.operator.get<Status>('/status')).data.replication,
    ({ standbys }) => standbys[0]?.messagesBehind === 0,
  );
  assert.deepEqual([status.epoch, status.lease, status.trouble], [1, 'held', null]);
  assert.equal(status.standbys[0]?.node, 'b');
  const { behindMs, lease } = await askUntil(
    look,
    (data) => data.streamSequence >= status.streamSequence && data.messagesBehind === 0,
  );
  assert.deepEqual([behindMs, lease], [0, 'held']);
  let ageMs = 0;
  // Each renewal begins the lease's age anew.
  await askUntil(look, ({ leaseAgeMs }) => {
    const beforeMs = ageMs;
    ageMs = leaseAgeMs ?? 0;
    return ageMs < beforeMs;
  });
  const ofLeader = await scrape(leader);
  const ofStandby = await scrape({ operatorUrl, token: TOKEN });
  const roles = [ofLeader, ofStandby].flatMap((of) =>
    ['leader', 'standby'].map((name) => of.value(`tote_replication_role{role="${name}"}`)),
  );
  assert.deepEqual(roles, [1, 0, 0, 1]);
  assert.equal(ofLeader.value('tote_replication_standbys'), 1);
  assert.equal(ofStandby.value('tote_replication_standbys'), undefined);
  for (const scraped of [ofLeader, ofStandby]) {
    assert.equal(scraped.value('tote_replication_epoch'), 1);
    assert.equal(scraped.value('tote_replication_away_seconds'), 0);
    assert.ok((scraped.value('tote_replication_sequence') ?? 0) >= status.streamSequence);
    assert.notEqual(scraped.value('tote_replication_lag_messages'), undefined);
    assert.ok((scraped.value('process_start_time_seconds') ?? 0) > 0);
  }
  const published = ofLeader.value('tote_replication_publish_duration_seconds_count');
  assert.equal(published, ofLeader.value('tote_batch_commands_count'));
  const { cookie, session } = await new ConsoleClient(leader.operatorUrl).loggedIn(TOKEN);
  const there = { Cookie: cookie.replace(/_\d+=/, `_${new URL(operatorUrl).port}=`) };
  const { data } = await new ConsoleClient(operatorUrl).get('/console/session', there);
  assert.deepEqual(data, session, 'a session of the leader is one of the standby, too');
}

async function quorumIsMissed({ nats, leader, b, bettor }: Pair): Promise<void> {
  const { operatorUrl, look } = await lookAt(b);
  const anyone = new Client(leader.operatorUrl, {});
  const ready = async (): Promise<string> => (await anyone.get('/readyz')).text;
  for (const server of [1, 2]) nats.signal(server, 'SIGSTOP');
  const { lease, messagesBehind, behindMs } = await askUntil(look, ({ trouble }) => trouble !== null);
  assert.deepEqual([lease, messagesBehind, behindMs], [null, null, null], 'a standby does not know');
  const ofStandby = async (): Promise<string> => (await new Client(operatorUrl, {}).get('/readyz')).text;
  await askUntil(ofStandby, (text) =>
    text.includes('this server is a standby, and a led when last heard of'),
  );
  // A standby may lead as soon as the quorum is back, and the leader's process would end.
  b.run.signal('SIGKILL');
  await b.run.ended;
  await askUntil(ready, (text) => text.includes('a standby may lead by now'));
  const late = place(leader, bettor, 'late');
  const { ordersRefused, replication } = await askUntil(
    async () => (await leader.operator.get<Status>('/status')).data,
    (status) => status.replication.trouble !== null && status.ordersRefused !== null,
  );
  assert.equal(ordersRefused, 'replication_away', 'its disk is in order');
  const away = String.raw`127\.0\.0\.1:\d+ does not answer since 20[^ ]+Z`;
  const told = new RegExp(
    `^1 of 3 NATS servers answer, and 2 are needed: \\S+ answers, ${away}, ${away} \\(`,
  );
  assert.match(replication.trouble ?? '', told);
  assert.ok(replication.standbys.length <= 1);
  await askUntil(
    async () => (await scrape(leader)).value('tote_replication_away_seconds') ?? 0,
    (seconds) => seconds > 0,
  );
  for (const server of [1, 2]) nats.signal(server, 'SIGCONT');
  await askUntil(ready, (text) => text.includes('"ok"'));
  assert.equal((await late).status, 201);
}
