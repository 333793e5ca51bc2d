/** The console of two machines: what an operator sees on the leader, on the standby, and when the one takes the other's place. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { SESSION_ENDED } from '../../http/console/close-codes.js';
import { addOperatorToken, removeOperatorToken } from '../../persistence/data-dir/operator-tokens.js';
import { askUntil } from '../support/ask-until.js';
import { figure, logIn, newPage, noBrowser, openBrowser } from '../support/console/browser.js';
import { ConsoleClient, ConsoleStream } from '../support/console/console-client.js';
import { buildPage } from '../support/console/console-page.js';
import { fixedPort } from '../support/fixed-port.js';
import type { Run } from '../support/processes/server.js';
import { NO_NATS } from '../support/replication/nats.js';
import { event, place, startPair, TOKEN } from '../support/replication/replicated.js';

const options = { skip: NO_NATS || noBrowser };

let browser: Browser;
before(async () => {
  if (options.skip !== false) return;
  buildPage();
  browser = await openBrowser();
});
after(async () => {
  if (options.skip === false) await browser.close();
});

const isWell = (page: Page, sentence: string): Promise<void> =>
  page.getByRole('region', { name: 'State' }).getByText(sentence).waitFor();

/** The number of the stream's last message, as it stands there. */
async function lastMessage(page: Page): Promise<number> {
  const text = await figure(page, 'Last message of the stream').textContent();
  return Number(text?.replaceAll(',', ''));
}

test('the consoles of leader and standby, and of a standby that takes over', options, async (t) => {
  const operatorPort = await fixedPort();
  const { leader, b, dirB, bettor } = await startPair(t, { envB: { TOTE_OPERATOR_PORT: operatorPort } });
  const { operatorUrl } = (await event(b.run, 'standby_listening')) as { operatorUrl: string };

  const { page: ofLeader, complaints } = await newPage(browser, leader.operatorUrl);
  await logIn(ofLeader, leader);
  await ofLeader.getByRole('link', { name: 'Replication' }).click();
  await isWell(ofLeader, 'This machine leads.');
  await isWell(ofLeader, 'b takes over by itself');
  await ofLeader.getByRole('row', { name: 'b' }).getByText('follows').waitFor();
  const before = await lastMessage(ofLeader);
  assert.equal((await place(leader, bettor, 'first')).status, 201);
  await askUntil(
    () => lastMessage(ofLeader),
    (sequence) => sequence > before,
  );

  const { page: ofStandby } = await newPage(browser, operatorUrl);
  await logIn(ofStandby, { operatorUrl, token: TOKEN }, 'Standby');
  await isWell(ofStandby, 'This machine follows a');
  await askUntil(
    () => lastMessage(ofStandby),
    (sequence) => sequence > before,
  );
  const client = new ConsoleClient(operatorUrl);
  const { session, reads, writes } = await client.loggedIn(TOKEN);
  assert.equal(session.isStandby, true);
  assert.equal((await client.get('/operator/v1/status', reads)).status, 200);
  assert.equal((await client.get('/operator/v1/status')).status, 401);
  assert.equal(await client.stream({}), 401);
  const refused = await client.send('POST', '/operator/v1/accounts', { tier: 'GOLD' }, writes);
  assert.match(refused.error, /^standby: this server follows a: ask there$/);
  assert.deepEqual(complaints, []);
  await tokenIsTakenAway(b.run, dirB, client);

  assert.equal((await leader.stop()).code, 0);
  await ofLeader.getByText('This machine has sent nothing for some seconds').waitFor();
  assert.equal(await ofLeader.getByText('orders are taken').count(), 0);
  const successor = await b.leading;
  await ofStandby.getByText('Your session has ended').waitFor();
  await logIn(ofStandby, successor);
  await ofStandby.getByRole('link', { name: 'b leads' }).click();
  await ofStandby.getByText('No standby follows').first().waitFor();
});

async function tokenIsTakenAway(run: Run, dataDir: string, client: ConsoleClient): Promise<void> {
  const file = join(dataDir, 'operator-tokens');
  const secret = addOperatorToken(file, 'ann', 'read', '2026-11-22T12:00:00.000Z');
  run.signal('SIGHUP');
  await askUntil(
    () => client.login(secret),
    ({ status }) => status === 201,
  );
  const stream = await client.stream((await client.loggedIn(secret)).writes);
  assert.ok(stream instanceof ConsoleStream);
  removeOperatorToken(file, 'ann');
  run.signal('SIGHUP');
  assert.equal(await stream.closed, SESSION_ENDED);
}
