/** Rules and the runbook's alarms follow from the sources; they and the dashboard fit a real server's metrics. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { project, textOf } from '../house/sources.js';
import { newFile } from '../support/new-folder.js';
import { type Scrape, scrape } from '../support/processes/scrape.js';
import { Server } from '../support/processes/server.js';
import { isAvailable } from '../support/programs.js';
import { alertRules, pageWithAlarms } from './rules.js';

const RULES_FILE = 'docs/monitoring/alerts.yml';
const PAGE_FILE = 'docs/ops/runbook.md';
const METRICS_PAGE = 'docs/ops/monitoring.md';

const skip = isAvailable('promtool') ? false : 'promtool is not installed (package prometheus)';

/** Grafana's dashboard is written by hand. */
function dashboardQueries(): string[] {
  const { panels } = JSON.parse(textOf('docs/monitoring/dashboard.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

test('rules and alarms of the runbook are those of the sources', () => {
  for (const [file, expected] of [
    [RULES_FILE, alertRules()],
    [PAGE_FILE, pageWithAlarms(textOf(PAGE_FILE))],
  ] as const) {
    if (process.env['TOTE_TEST_WRITE'] === '1') writeFileSync(join(project, file), expected);
    assert.equal(textOf(file), expected, 'TOTE_TEST_WRITE=1 npm test -- monitoring writes it');
  }
});

let server: Server;
let scraped: Scrape;
after(() => server.remove());
before(async () => {
  server = await Server.start();
  const { api } = await server.createBettor();
  await server.toNextDay({ BTC: 67_000 });
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  assert.equal((await api.post('/orders', order)).status, 201);
  assert.equal((await api.get('/markets/NONE')).status, 404);
  scraped = await scrape(server);
});

test('every metric that rules, dashboard and page name is in a scrape', () => {
  const { names, types } = scraped;
  const pages = [PAGE_FILE, METRICS_PAGE].map(textOf);
  const queries = [...dashboardQueries(), alertRules(), ...pages].join('\n');
  const named = new Set(queries.match(/\b(?:tote|process)_[a-z_]*[a-z]\b/g));
  assert.ok(named.size > 40, 'the queries are where this test looks for them');
  // A histogram without labels that nobody has counted yet has no buckets.
  const isTyped = (name: string): boolean => types.has(name.replace(/_bucket$/, ''));
  const missing = [...named].filter((name) => !names.has(name) && !isTyped(name));
  assert.deepEqual(missing, []);
});

function promtool(args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  assert.equal(status, 0, `promtool ${args.join(' ')}\n${stdout}${stderr}`);
}

test('promtool finds nothing to complain about in a scrape', { skip }, () => {
  promtool(['check', 'metrics'], scraped.text);
});

/** Two servers, each scraped every 10 s: their roles in Prometheus, its own rules at work. */
function roleTest(
  series: readonly (readonly [sample: string, values: string])[],
  alerts: readonly string[],
  labels: Readonly<Record<string, string>> = {},
  names: readonly string[] = ['ToteNoLeader', 'ToteTwoLeaders', 'ToteTakeover'],
) {
  const described = (alert: string) => {
    const [, severity = '', summary = '', description = '', url = ''] =
      new RegExp(
        `- alert: ${alert}\\n[^]*?severity: (\\w+)\\n[^]*?summary: (".*")\\n[^]*?description: (".*")\\n +runbook_url: (.*)\\n`,
      ).exec(`${alertRules()}\n`) ?? [];
    return {
      exp_labels: { severity, ...labels },
      exp_annotations: {
        summary: JSON.parse(summary),
        description: JSON.parse(description),
        runbook_url: url,
      },
    };
  };
  return {
    interval: '10s',
    input_series: series.map(([sample, values]) => ({ series: sample, values })),
    alert_rule_test: names.map((alertname) => ({
      eval_time: '2m',
      alertname,
      exp_alerts: alerts.includes(alertname) ? [described(alertname)] : [],
    })),
  };
}

test('alerts tell exchanges and machines apart: about leaders, and about one that is slow', { skip }, () => {
  const role = (one: string, values: string) =>
    [`tote_replication_role{instance="${one}",role="leader"}`, values] as const;
  const epoch = (one: string, values: string) =>
    [`tote_replication_epoch{instance="${one}"}`, values] as const;
  const bucket = (one: string, le: string) =>
    `tote_commit_duration_seconds_bucket{instance="${one}",le="${le}"}`;
  const steady = [role('one', '1x20'), role('two', '0x20'), epoch('one', '7x20'), epoch('two', '7x20')];
  const tests = [
    roleTest(steady, []),
    roleTest([role('two', '0x20'), epoch('two', '7x20')], ['ToteNoLeader']),
    roleTest(
      [role('one', '1x20'), role('two', '0x3 1x17'), epoch('one', '7x20'), epoch('two', '7x3 8x17')],
      ['ToteTwoLeaders', 'ToteTakeover'],
    ),
    roleTest(
      ['main', 'test'].map((exchange): readonly [string, string] => [
        `tote_replication_role{instance="${exchange}",exchange="${exchange}",role="leader"}`,
        '1x20',
      ]),
      [],
    ),
    // One leader waits for its disk, the other one for its NATS servers.
    roleTest(
      ['disk', 'log'].flatMap((one): (readonly [string, string])[] => [
        [`tote_journal_backlogged{instance="${one}"}`, '1x20'],
        [`tote_replication_away_seconds{instance="${one}"}`, one === 'disk' ? '0x20' : '9x20'],
      ]),
      ['ToteJournalBacklog'],
      { instance: 'disk' },
      ['ToteJournalBacklog'],
    ),
    // One machine of two is slow, and is named.
    roleTest(
      [
        [bucket('fast', '0.1'), '0+100x20'],
        [bucket('fast', '+Inf'), '0+100x20'],
        [bucket('slow', '0.1'), '0x20'],
        [bucket('slow', '0.5'), '0+10x20'],
        [bucket('slow', '+Inf'), '0+10x20'],
      ],
      ['ToteSlowCommits'],
      { instance: 'slow' },
      ['ToteSlowCommits'],
    ),
  ];
  const evaluated = { rule_files: [join(project, RULES_FILE)], evaluation_interval: '10s', tests };
  promtool(['test', 'rules', newFile(evaluated)]);
});

test('promtool accepts the rules, and the queries of the dashboard', { skip }, () => {
  promtool(['check', 'rules', join(project, RULES_FILE)]);
  const rules = dashboardQueries().map((query, at) => {
    const expr = query.replaceAll('$__rate_interval', '1m');
    return { record: `query${at}`, expr };
  });
  promtool(['check', 'rules', newFile({ groups: [{ name: 'dashboard', rules }] })]);
});
