/** The console's charts in a real browser: each line is really drawn, read from the pixels of its canvas. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { VitalsResource } from '../../../http/operator/figures/vitals.js';
import { consoleTests, logIn } from '../../support/console/browser.js';
import { Server } from '../../support/processes/server.js';

const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];
const SYSTEM_LINES = 27;

const test = consoleTests(async () => {
  const server = await Server.start();
  await server.toNextDay();
  return server;
});

/** Runs in the page. */
const SEEN = `(title, variable) => {
  const isIt = (one) => one.querySelector('h3').textContent === title;
  const figure = [...document.querySelectorAll('figure.plot')].find(isIt);
  document.body.style.outlineColor = 'var(' + variable + ')';
  const wanted = getComputedStyle(document.body).outlineColor.match(/\\d+/g).map(Number);
  const canvas = figure?.querySelector('canvas') ?? null;
  if (canvas === null) return [];
  const over = figure.querySelector('.u-over');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const scale = canvas.width / canvas.clientWidth;
  const [left, span] = [Math.round(over.offsetLeft * scale), Math.round(over.offsetWidth * scale)];
  const { data } = copy.getImageData(left, 0, span, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) {
    const isIts = wanted.every((part, byte) => Math.abs(data[at + byte] - part) < 24) && data[at + 3] > 150;
    if (isIts) found.add(Math.floor((((at / 4) % span) * 100) / span));
  }
  return [...found].sort((a, b) => a - b);
}`;
/** Left to right, in hundredths of the plot's width. */
const drawnAt = (page: Page, title: string, color: string): Promise<number[]> =>
  page.evaluate<number[]>(`(${SEEN})(${JSON.stringify(title)}, ${JSON.stringify(color)})`);

const FROM_EDGE_TO_EDGE = Array.from({ length: 100 }, (_, at) => at);

/** The system view, whose questions for figures have so many, in every column; the lines of a chart lie well apart. */
async function openSystem(page: Page, server: Server, count: number): Promise<void> {
  await page.route('**/operator/v1/vitals', async (route) => {
    const response = await route.fetch();
    const { success, data } = (await response.json()) as { success: boolean; data: VitalsResource };
    const time = Array.from({ length: count }, (_, at) => 1_800_000_000 + at * 5);
    const columns = Object.fromEntries(
      Object.keys(data.columns).map((name, place) => [name, time.map(() => 10 * (1 + ((place * 2) % 7)))]),
    );
    await route.fulfill({ response, json: { success, data: { ...data, time, columns } } });
  });
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/system`);
}

test('every line of the system view is drawn from edge to edge', async (page, server) => {
  await openSystem(page, server, 41);
  await page.locator('figure.plot canvas').last().waitFor();
  let lines = 0;
  for (const chart of await page.locator('figure.plot').all()) {
    const title = (await chart.getByRole('heading').textContent()) ?? '';
    const names = await chart.locator('.u-series').count();
    // The first entry of the legend is the time.
    for (const color of COLORS.slice(0, names - 1)) {
      assert.deepEqual(await drawnAt(page, title, color), FROM_EDGE_TO_EDGE, `${title} ${color}`);
      lines++;
    }
  }
  assert.equal(lines, SYSTEM_LINES);
});

test('charts share the time range and the crosshair', async (page, server) => {
  await openSystem(page, server, 241);
  const [one, other] = [0, 3].map((at) => page.locator('figure.plot').nth(at));
  await one?.locator('.u-over').hover();
  const times = (): Promise<(string | null)[]> =>
    page.locator('.u-legend tr:first-child .u-value').allTextContents();
  const shown = await times();
  assert.match(shown[0] ?? '', /^\d\d:\d\d:\d\d$/);
  assert.equal(new Set(shown).size, 1);
  await page.getByLabel('Time range').selectOption('5 minutes');
  await other?.locator('.u-over').hover();
  const later = await times();
  assert.equal(new Set(later).size, 1);
  assert.ok((later[0] ?? '') > (shown[0] ?? ''), 'the middle of five minutes is later than that of twenty');
});
