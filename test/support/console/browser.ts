/**
 * Debian's Chromium, driven by playwright-core, for tests of the console. Tests assert that a page has no complaints:
 * it logs no error, keeps its content security policy and asks no other host.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import axe from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { must } from '../../../engine/base/assert.js';
import { Server } from '../processes/server.js';
import { isAvailable } from '../programs.js';
import { buildPage } from './console-page.js';

const PROGRAM = 'chromium';
const noBrowser = isAvailable(PROGRAM) ? false : 'needs chromium (Debian: apt-get install chromium)';

const PATIENCE_MS = 20_000;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export function openBrowser(): Promise<Browser> {
  const executablePath = execFileSync('which', [PROGRAM], { encoding: 'utf8' }).trim();
  // The sandbox needs rights that root in a container has not; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

interface WatchedPage {
  readonly page: Page;
  readonly complaints: string[];
}

/** In a browser profile of its own. */
export async function newPage(browser: Browser, origin: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium's own line on each refusal that the page shows.
    if (message.text().includes('409 (Conflict)')) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`a request to ${request.url()}`);
  });
  return { page, complaints };
}

/**
 * The tests of a file have a server and a browser, and each a page without complaints; they are left out where there
 * is no browser.
 */
export function consoleTests(start: () => Promise<Server> = () => Server.start()) {
  let started: { readonly server: Server; readonly browser: Browser } | null = null;
  before(async () => {
    if (noBrowser !== false) return;
    buildPage();
    started = { server: await start(), browser: await openBrowser() };
  });
  after(async () => {
    await started?.browser.close();
    await started?.server.remove();
  });
  return (name: string, work: (page: Page, server: Server, browser: Browser) => Promise<void>): void => {
    test(name, { skip: noBrowser }, async () => {
      const { server, browser } = must(started, 'a server and a browser');
      const { page, complaints } = await newPage(browser, server.operatorUrl);
      await work(page, server, browser);
      assert.deepEqual(complaints, []);
      await page.close();
    });
  };
}

/** Findings of axe-core, a line for each element. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async (values: readonly string[]) => {
    const results = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: { type: 'tag', values: [...values] },
    });
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
  }, RULES);
  return found;
}

/** Texts that do not fit in their place. A page that is wider than its window is one of them. */
const CUT = `[document.documentElement, ...document.querySelectorAll('main *:not(.hidden, svg *, select)')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
  .map((one) => one.tagName + ' ' + one.textContent.slice(0, 40))`;

/** A line for each flaw in light, in dark, on a desktop and on a telephone. */
export async function flaws(page: Page, view: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1241, 390]) {
      await page.setViewportSize({ width, height: 844 });
      found.push(...(await violations(page)).map((line) => `${view} ${colorScheme} ${width}: ${line}`));
      for (const cut of await page.evaluate<string[]>(CUT)) found.push(`${view} ${width} cuts ${cut}`);
    }
  }
  return found;
}

export async function logIn(
  page: Page,
  { operatorUrl, token }: { readonly operatorUrl: string; readonly token: string },
  heading = 'Overview',
): Promise<void> {
  await page.goto(`${operatorUrl}/console`);
  await page.getByLabel('Operator token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}

export const figure = (page: Page, name: string): Locator =>
  page.locator('.figure', { has: page.getByText(name, { exact: true }) }).locator('dd');
