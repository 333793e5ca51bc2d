/**
 * The console in each state of the replicated log. The states are put into the messages of a real server, on their
 * way to a real browser; real machines are in `test/replication/`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import type { LiveMessage, StandbyMessage } from '../../../http/console/live-message.js';
import type { SessionResource } from '../../../http/console/sessions.js';
import type { LeaderStatus, StandbyStatus } from '../../../http/metrics/replication.js';
import { figure, flaws, logIn, newPage, noBrowser, openBrowser } from '../../support/console/browser.js';
import { buildPage } from '../../support/console/console-page.js';
import { Server } from '../../support/processes/server.js';

const options = { skip: noBrowser };

const LEADER: LeaderStatus = {
  role: 'leader',
  node: 'one',
  epoch: 3,
  streamSequence: 1_377,
  lease: 'held',
  leaseAgeMs: 420,
  trouble: null,
  awayMs: 0,
  standbys: [{ node: 'two', messagesBehind: 0, behindMs: 0, heardMsAgo: 180 }],
};
const STANDBY: StandbyStatus = {
  role: 'standby',
  node: 'two',
  leader: 'one',
  lease: 'held',
  leaseAgeMs: 310,
  epoch: 3,
  sequence: 48_210,
  streamSequence: 1_377,
  messagesBehind: 0,
  behindMs: 0,
  trouble: null,
  awayMs: 0,
};
const TROUBLE = { trouble: 'no responders', awayMs: 12_000 };
const NOW_MS = Date.parse('2026-11-22T12:00:12Z');
const SINCE = 'Since 2026-11-22 12:00:00 UTC. The reason: no responders';

let server: Server;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  buildPage();
  server = await Server.start();
  browser = await openBrowser();
});
after(async () => {
  if (noBrowser !== false) return;
  await browser.close();
  await server.remove();
});

type Given = Partial<LiveMessage>;

/** Its messages are the server's, but for `given`. */
async function openLeader() {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  let given: Given = { replication: LEADER };
  let sendAgain = (): void => undefined;
  await page.routeWebSocket(/console\/stream/, (socket) => {
    socket.connectToServer().onMessage((text) => {
      const message = JSON.parse(String(text)) as LiveMessage;
      sendAgain = () => socket.send(JSON.stringify({ ...message, ...given }));
      sendAgain();
    });
  });
  await logIn(page, server);
  const show = (next: Given): void => {
    given = next;
    sendAgain();
  };
  return { page, complaints, show };
}

/** Nothing but the session is the server's. */
async function openStandby() {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  let [socket, newest]: [WebSocketRoute | null, string | null] = [null, null];
  await page.routeWebSocket(/console\/stream/, (opened) => {
    socket = opened;
  });
  const send = (): void => {
    if (newest !== null) socket?.send(newest);
  };
  setInterval(send, 1_000).unref();
  await page.route(/console\/session/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { readonly data: SessionResource | null };
    const changed = data === null ? null : { ...data, isStandby: true };
    await route.fulfill({ response, json: { ...rest, data: changed } });
  });
  await logIn(page, server, 'Standby');
  const show = (replication: StandbyStatus): void => {
    const message: StandbyMessage = { timeMs: NOW_MS, replication };
    newest = JSON.stringify(message);
    send();
  };
  const fallSilent = (): void => {
    newest = null;
  };
  return { page, complaints, show, fallSilent };
}

const wellOrNot = (page: Page) => page.getByRole('region', { name: 'State' });

async function hasFigures(page: Page, figures: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(figures))
    assert.equal(await figure(page, name).textContent(), value, name);
}

/** In this order, and no other sentences that name something wrong. */
async function says(page: Page, ...sentences: readonly string[]): Promise<void> {
  const items = wellOrNot(page).getByRole('listitem');
  for (const [index, sentence] of sentences.entries())
    await items.nth(index).getByText(sentence).first().waitFor();
  assert.equal(await items.count(), sentences.length);
}

test(
  'an exchange on one machine says so, and has no view of replication among the others',
  options,
  async () => {
    const { page, complaints, show } = await openLeader();
    await page.getByRole('link', { name: 'Replication' }).waitFor();
    show({ replication: null, arePricesSimulated: true });
    await page.getByText('prices are simulated').waitFor();
    await page.getByRole('link', { name: 'Replication' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('This exchange runs on one machine').waitFor();
    assert.deepEqual(complaints, []);
  },
);

test('a leader says what is wrong, since when, and what to do', options, async () => {
  const { page, complaints, show } = await openLeader();
  await page.getByRole('link', { name: 'Replication' }).click();
  show({ replication: { ...LEADER, standbys: [] } });
  await says(page, 'No standby follows');
  await page.getByRole('link', { name: 'one leads, 1 problem' }).waitFor();
  const [standby] = LEADER.standbys;
  const behind = { node: 'three', messagesBehind: 900, behindMs: 7_000, heardMsAgo: 100 };
  show({ replication: { ...LEADER, standbys: standby === undefined ? [] : [standby, behind] } });
  await says(page, 'A standby is behind');
  const cells = await page.getByRole('row', { name: 'three' }).getByRole('cell').allInnerTexts();
  assert.deepEqual(cells, ['standby', 'behind', '900', '7.0 s ago', '100 ms ago']);
  const away = { ...LEADER, ...TROUBLE };
  show({ timeMs: NOW_MS, isClockManual: false, replication: away });
  await says(page, SINCE);
  await page.getByText('no answer for 12.0 s').waitFor();
  await page.getByText('orders wait').waitFor();
  show({ timeMs: NOW_MS, isClockManual: false, replication: { ...away, standbys: [] } });
  await page.getByText('No standby was heard of').waitFor();
  await says(page, SINCE);
  show({ isClockManual: true, replication: away });
  await page.getByText('Since 2026').waitFor({ state: 'detached' });
  await says(page, 'The reason: no responders');
  show({ replication: { ...away, lease: 'lapsed', leaseAgeMs: 12_500 } });
  await says(page, 'a standby may lead by now', 'no responders');
  await page.getByRole('link', { name: 'the lease of one has lapsed' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a standby shows nothing but whom it follows, and how far', options, async () => {
  const { page, complaints, show } = await openStandby();
  show(STANDBY);
  await wellOrNot(page)
    .getByText('This machine follows one, and takes over by itself if that ends')
    .waitFor();
  assert.equal(await page.getByRole('link').count(), 1, 'the way home alone');
  assert.deepEqual(await page.getByRole('button').allInnerTexts(), ['Skip to the content', 'Log out']);
  await hasFigures(page, { Leader: 'one', Epoch: '3', 'Messages behind': '0', Commands: '48,210' });
  show({ ...STANDBY, messagesBehind: 900, behindMs: 7_000 });
  await says(page, 'A standby is behind');
  show({ ...STANDBY, ...TROUBLE });
  await says(page, SINCE);
  const unknown = 'not known';
  const ofBefore = 'one, when last heard of';
  const renewed = `${unknown}, renewed 310 ms ago`;
  await hasFigures(page, { Leader: ofBefore, "Leader's lease": renewed, 'Messages behind': unknown });
  show({ ...STANDBY, lease: 'lapsed' });
  await says(page, 'has not renewed its lease');
  show({ ...STANDBY, lease: 'released' });
  await says(page, 'has handed over');
  show({ ...STANDBY, lease: 'none', leader: null, epoch: 0 });
  await says(page, 'Nobody has ever led');
  assert.deepEqual(complaints, []);
});

test('a machine that sends nothing more is not taken for one that does', options, async () => {
  const { page, show, fallSilent } = await openStandby();
  await page.clock.install();
  show(STANDBY);
  await wellOrNot(page).getByText('all is well').waitFor();
  fallSilent();
  await page.clock.fastForward(5_000);
  await page.getByRole('alert').getByText('nothing for some seconds').waitFor();
  for (const before of ['all is well', 'is a standby'])
    assert.equal(await page.getByText(before).count(), 0, before);
  await page.getByText('no news from the server').waitFor();
  await page.getByText('since 2026-11-22 12:00:12 UTC').waitFor();
  show(STANDBY);
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('neither view breaks a rule of WCAG level AA: in light, in dark, and at 390 px', options, async () => {
  const leader = await openLeader();
  await leader.page.getByRole('link', { name: 'Replication' }).click();
  const standby = await openStandby();
  const found: string[] = [];
  const look = async (page: Page, state: string): Promise<void> => {
    await wellOrNot(page).getByText(state).first().waitFor();
    found.push(...(await flaws(page, state)));
  };
  await look(leader.page, 'all is well');
  leader.show({ replication: { ...LEADER, ...TROUBLE, lease: 'lapsed', standbys: [] } });
  await look(leader.page, 'critical');
  standby.show(STANDBY);
  await look(standby.page, 'all is well');
  standby.show({ ...STANDBY, ...TROUBLE });
  await look(standby.page, 'critical');
  assert.deepEqual(found, []);
});
