/** The console's charts in a real browser: each line is really drawn, with and without gaps, read from the pixels of its canvas. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { VitalsResource } from '../../../http/operator/figures/vitals.js';
import { askUntil } from '../../support/ask-until.js';
import { figure, logIn, newPage, noBrowser, openBrowser } from '../../support/console/browser.js';
import { buildPage } from '../../support/console/console-page.js';
import { Server } from '../../support/processes/server.js';

const MINUTE_MS = 60_000;
const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];
/** Of all charts of the system view together. */
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
  const color = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
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
/** Where a line of this colour is seen in the chart, left to right, in hundredths of the plot's width. */
const seen = (page: Page, title: string, color: string): Promise<number[]> =>
  page.evaluate<number[]>(`(${SEEN})(${JSON.stringify(title)}, ${JSON.stringify(color)})`);

const hundredths = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** A chart is drawn a moment after what it shows has come. */
const untilSeen = (page: Page, title: string, color: string, partsMin: number): Promise<number[]> =>
  askUntil(
    () => seen(page, title, color),
    (parts) => parts.length >= partsMin,
  );

/** Answers each question for figures with these, in every column; the lines of a chart lie well apart. */
async function serveVitals(page: Page, shape: readonly boolean[]): Promise<void> {
  await page.route('**/operator/v1/vitals?*', async (route) => {
    const response = await route.fetch();
    const { success, data } = (await response.json()) as { success: boolean; data: VitalsResource };
    const isFirst = route.request().url().endsWith('since=0');
    const fromSeconds = data.time.at(-1) ?? 1_800_000_000;
    const time = isFirst ? shape.map((_, at) => fromSeconds + at * 5) : [];
    const columns = Object.fromEntries(
      Object.keys(data.columns).map((name, place) => [
        name,
        isFirst ? shape.map((isThere) => (isThere ? 10 * (1 + ((place * 2) % 7)) : null)) : [],
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

test('a line that begins with a gap is drawn where it has values, and a value between two gaps is a point', {
  skip: noBrowser,
}, async () => {
  // Nothing until 25 %, a line to 50 %, a gap, one value at 75 %, and nothing again.
  const shape = Array.from({ length: 41 }, (_, at) => (at >= 10 && at <= 20) || at === 30);
  await eachSystemLine(shape, (at, what) => {
    for (const part of hundredths(26, 48)) assert.ok(at.includes(part), `${what} at ${part} %`);
    assert.ok(at.includes(75) || at.includes(74), `${what}: the point`);
    const stray = at.filter((part) => part < 24 || (part > 51 && part < 73) || part > 76);
    assert.deepEqual(stray, [], what);
  });
});

test('the price is drawn in every chart of a market, and the open price from the start of its round', {
  skip: noBrowser,
}, async () => {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  await logIn(page, server);
  let price = 60_000;
  for (const frame of ['ONE_MINUTE', 'FIVE_MINUTES', 'FIFTEEN_MINUTES', 'FOUR_HOURS', 'ONE_DAY']) {
    await server.push({ BTC: price });
    await page.goto(`${server.operatorUrl}/console#/markets/BTC_${frame}`);
    // The minute's round begins while its chart is open: before that there is no open price to draw.
    for (let n = 0; n < 2; n++) {
      await server.advance(MINUTE_MS);
      price += 7;
      await server.push({ BTC: price });
      await figure(page, 'Price now').getByText(String(price), { exact: true }).waitFor();
    }
    await untilSeen(page, 'Price of BTC', '--line-1', 90);
    await untilSeen(page, 'Price of BTC', '--line-2', 1);
  }
  assert.deepEqual(complaints, []);
});

test('what the house has earned is drawn by the hour and by the day', { skip: noBrowser }, async () => {
  const { page, complaints } = await newPage(browser, server.operatorUrl);
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/house`);
  for (const span of ['hour', 'day']) {
    await page.getByRole('combobox', { name: 'Span of time' }).selectOption(span);
    await untilSeen(page, 'Earned, added up', '--line-1', 90);
  }
  assert.deepEqual(complaints, []);
});
