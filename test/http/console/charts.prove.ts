/** The console's charts in a real browser: each line is really drawn, read from the pixels of its canvas. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { VitalsResource } from '../../../http/operator/figures/vitals.js';
import { logIn, newPage, noBrowser, openBrowser } from '../../support/console/browser.js';
import { buildPage } from '../../support/console/console-page.js';
import { Server } from '../../support/processes/server.js';

const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];
const SYSTEM_LINES = 27;

let server: Server;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  buildPage();
  server = await Server.start();
  await server.toNextDay();
  browser = await openBrowser();
});
after(async () => {
  if (noBrowser !== false) return;
  await browser.close();
  await server.remove();
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
const seen = (page: Page, title: string, color: string): Promise<number[]> =>
  page.evaluate<number[]>(`(${SEEN})(${JSON.stringify(title)}, ${JSON.stringify(color)})`);

const hundredths = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Answers questions for figures with these, in every column; the lines of a chart lie well apart. */
async function serveVitals(page: Page, shape: readonly boolean[]): Promise<void> {
  await page.route('**/operator/v1/vitals', async (route) => {
    const response = await route.fetch();
    const { success, data } = (await response.json()) as { success: boolean; data: VitalsResource };
    const time = shape.map((_, at) => 1_800_000_000 + at * 5);
    const columns = Object.fromEntries(
      Object.keys(data.columns).map((name, place) => [
        name,
        shape.map((isThere) => (isThere ? 10 * (1 + ((place * 2) % 7)) : null)),
      ]),
    );
    await route.fulfill({ response, json: { success, data: { ...data, time, columns } } });
  });
}

async function eachSystemLine(
  shape: readonly boolean[],
  check: (at: number[], what: string) => void,
): Promise<void> {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  await serveVitals(page, shape);
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/system`);
  await page.locator('figure.plot canvas').last().waitFor();
  let lines = 0;
  for (const chart of await page.locator('figure.plot').all()) {
    const title = (await chart.getByRole('heading').textContent()) ?? '';
    const names = await chart.locator('.u-series').count();
    // The first entry of the legend is the time.
    for (const color of COLORS.slice(0, names - 1)) {
      check(await seen(page, title, color), `${title} ${color}`);
      lines++;
    }
  }
  assert.equal(lines, SYSTEM_LINES);
  assert.deepEqual(complaints, []);
  await page.close();
}

test('every line of the system view is drawn from edge to edge', { skip: noBrowser }, () =>
  eachSystemLine(Array(41).fill(true), (at, what) => assert.deepEqual(at, hundredths(0, 99), what)),
);

test('charts share the time range and the crosshair', { skip: noBrowser }, async () => {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  await serveVitals(page, Array(241).fill(true));
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/system`);
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
  assert.deepEqual(complaints, []);
});
