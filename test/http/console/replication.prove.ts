/**
 * The console in each state of the replicated log. The states are put into the messages of a real server, on their
 * way to a real browser; real machines are in `test/replication/`.
 */
import assert from 'node:assert/strict';
import type { Page, WebSocketRoute } from 'playwright-core';
import type { LiveMessage, StandbyMessage } from '../../../http/console/live-message.js';
import type { Raised } from '../../../http/metrics/alarms.js';
import type { LeaderStatus, StandbyStatus } from '../../../http/metrics/replication.js';
import { consoleTests, figure, flaws, logIn, newPage } from '../../support/console/browser.js';
import type { Server } from '../../support/processes/server.js';

const LEADER: LeaderStatus = {
  ...{ role: 'leader', node: 'one', epoch: 3, streamSequence: 1_377, lease: 'held', leaseAgeMs: 420 },
  ...{ trouble: null, awayMs: 0 },
  standbys: [{ node: 'two', messagesBehind: 0, behindMs: 0, heardMsAgo: 180 }],
};
const STANDBY: StandbyStatus = {
  ...{ role: 'standby', node: 'two', leader: 'one', lease: 'held', leaseAgeMs: 310, epoch: 3 },
  ...{ sequence: 48_210, streamSequence: 1_377, messagesBehind: 0, behindMs: 0, trouble: null, awayMs: 0 },
};
const TROUBLE = { trouble: 'no responders', awayMs: 12_000 };
/** The server withholds figures that are old. */
const UNHEARD: StandbyStatus = { ...STANDBY, ...TROUBLE, lease: null, messagesBehind: null, behindMs: null };
const NOW_MS = Date.parse('2026-11-22T12:00:12Z');
const SINCE = /^critical Since 2026-11-22 12:00:00 UTC .*The reason: no responders/;

const test = consoleTests();

type Given = Partial<LiveMessage>;

/** Its messages are the server's, but for `given`. */
async function openLeader(page: Page, server: Server) {
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
  return { page, show };
}

const textOf = (replication: StandbyStatus): string => {
  const message: StandbyMessage = { timeMs: NOW_MS, replication };
  return JSON.stringify(message);
};

/** Nothing but the session is the server's. */
async function openStandby(page: Page, server: Server) {
  let socket: WebSocketRoute | null = null;
  let newest: string | null = textOf(STANDBY);
  await page.routeWebSocket(/console\/stream/, (opened) => {
    socket = opened;
    send();
  });
  const send = (): void => {
    if (newest !== null) socket?.send(newest);
  };
  setInterval(send, 1_000).unref();
  await logIn(page, server, 'Standby');
  const show = (replication: StandbyStatus): void => {
    newest = textOf(replication);
    send();
  };
  const fallSilent = (): void => {
    newest = null;
  };
  return { page, show, fallSilent };
}

const attention = (page: Page) => page.getByRole('region', { name: 'What needs attention' });

async function hasFigures(page: Page, figures: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(figures))
    assert.equal(await figure(page, name).textContent(), value, name);
}

const EXPIRES: Raised = {
  ...{ name: 'certificate_expires', severity: 'warning', what: 'a certificate ends soon' },
  ...{ advice: 'Renew it.', value: 3, limit: 21, unit: 'days', since: 0 },
};
const AWAY: Raised = {
  ...{
    name: 'replication_away',
    severity: 'critical',
    advice: 'Two of three must run and reach each other.',
  },
  ...{ what: 'the NATS servers have not answered for a while', value: 12, limit: 5, unit: 's' },
  since: Date.parse('2026-11-22T12:00:00Z') / 1_000,
};

test('a leader says what is wrong, since when, and what to do', async (page, server) => {
  const { show } = await openLeader(page, server);
  await page.getByText('two takes over by itself').waitFor();
  const [standby] = LEADER.standbys;
  const behind = { node: 'three', messagesBehind: 900, behindMs: 7_000, heardMsAgo: 100 };
  show({ replication: { ...LEADER, standbys: standby === undefined ? [] : [standby, behind] } });
  await page.getByText('two or three takes over by itself').waitFor();
  const cells = await page.getByRole('row', { name: 'three' }).getByRole('cell').allInnerTexts();
  assert.deepEqual(cells, ['behind', '900', '7.0 s ago', '100 ms ago']);
  show({ replication: { ...LEADER, standbys: [] } });
  await page.getByText('No standby was heard of').waitFor();
  show({ alarms: [EXPIRES, AWAY], replication: { ...LEADER, ...TROUBLE } });
  const items = attention(page).getByRole('listitem');
  await items.nth(1).getByText('A certificate ends soon.').waitFor();
  for (const said of ['for a while.', 'since 2026-11-22 12:00:00 UTC: 12', 'no responders', 'Two of'])
    await items.first().getByText(said).waitFor();
  assert.equal(await items.count(), 2);
  await page.getByRole('link', { name: '2 alarms' }).waitFor();
  await page.getByText('trouble for 12.0 s').waitFor();
  await page.getByText('orders wait').waitFor();
  show({ replication: { ...LEADER, lease: 'lapsed', leaseAgeMs: 12_500 } });
  await page.getByText('a standby may lead by now').waitFor();
  await page.getByText('the lease of one has lapsed').waitFor();
  show({ replication: null, arePricesSimulated: true, waiting: ['the disk is slow'] });
  await page.getByText('prices are simulated').waitFor();
  await page.getByText('This exchange runs on one machine').waitFor();
  await attention(page).getByText('It is one if this lasts: the disk is slow.').waitFor();
  assert.equal(await page.getByText('all is well').count(), 0);
});

test('a standby shows nothing but whom it follows, and how far', async (page, server) => {
  const { show } = await openStandby(page, server);
  show(STANDBY);
  await page.getByText('This machine follows one, and takes over by itself if that ends').waitFor();
  assert.equal(await page.getByRole('link').count(), 1, 'the way home alone');
  assert.deepEqual(await page.getByRole('button').allInnerTexts(), ['Skip to the content', 'Log out']);
  await hasFigures(page, { Leader: 'one', Epoch: '3', 'Messages behind': '0', Commands: '48,210' });
  show({ ...STANDBY, messagesBehind: 900, behindMs: 7_000 });
  await page.getByText('This standby is behind').waitFor();
  show(UNHEARD);
  await page.getByText(SINCE).waitFor();
  const unknown = 'not known';
  const ofBefore = 'one, when last heard of';
  const renewed = `${unknown}, renewed 310 ms ago`;
  await hasFigures(page, { Leader: ofBefore, "Leader's lease": renewed, 'Messages behind': unknown });
  show({ ...STANDBY, lease: 'lapsed' });
  await page.getByText('has not renewed its lease').waitFor();
  show({ ...STANDBY, lease: 'released' });
  await page.getByText('has handed over').waitFor();
  show({ ...STANDBY, lease: 'none', leader: null, epoch: 0 });
  await page.getByText('Nobody has ever led').waitFor();
});

test('a machine that sends nothing more is not taken for one that does', async (page, server) => {
  const { show, fallSilent } = await openStandby(page, server);
  await page.clock.install();
  show(STANDBY);
  await page.getByText('all is well').waitFor();
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

test('neither view breaks a rule of WCAG level AA: in light, in dark, and at 390 px', async (page, server, browser) => {
  const leader = await openLeader(page, server);
  const standby = await openStandby((await newPage(browser, server.operatorUrl)).page, server);
  const found: string[] = [];
  const look = async (page: Page, state: string): Promise<void> => {
    await page.getByText(state).first().waitFor();
    found.push(...(await flaws(page, state)));
  };
  await look(leader.page, 'Nothing needs your attention');
  leader.show({ alarms: [AWAY], replication: { ...LEADER, ...TROUBLE, lease: 'lapsed', standbys: [] } });
  await look(leader.page, 'critical');
  standby.show(STANDBY);
  await look(standby.page, 'all is well');
  standby.show(UNHEARD);
  await look(standby.page, 'critical');
  assert.deepEqual(found, []);
});
