/** Grafana's dashboard: rows of plots, each with its queries. */

interface Panel {
  readonly title: string;
  readonly description?: string;
  /** Grafana's name of the unit. */
  readonly unit: string;
  /** Queries with their legends. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  /** A number in place of a plot. */
  readonly isStat?: boolean;
}

const RATE = '[$__rate_interval]';
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}${RATE}))`;
const quantiles = (metric: string, labels = ''): (readonly [string, string])[] =>
  [0.5, 0.99, 0.999].map(
    (share) =>
      [
        `histogram_quantile(${share}, sum by (le) (rate(${metric}_bucket${labels}${RATE})))`,
        `p${share * 100}`,
      ] as const,
  );
const p99By = (metric: string, by: string): readonly [string, string] => [
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket${RATE})))`,
  `{{${by}}}`,
];
const one = (expr: string, legend: string): readonly (readonly [string, string])[] => [[expr, legend]];

const ROWS: readonly (readonly [title: string, panels: readonly Panel[]])[] = [
  [
    'Now',
    [
      {
        title: 'Orders are taken',
        unit: 'bool_yes_no',
        isStat: true,
        queries: one('tote_taking_orders', ''),
      },
      {
        title: 'Alarms',
        unit: 'none',
        isStat: true,
        queries: one('count(ALERTS{alertname=~"Tote.*",alertstate="firing"}) or vector(0)', ''),
      },
      {
        title: 'Orders per second',
        unit: 'ops',
        isStat: true,
        queries: one(`sum(rate(tote_order_duration_seconds_count${RATE}))`, ''),
      },
      { title: 'Open bets', unit: 'none', isStat: true, queries: one('tote_open_bets', '') },
      {
        title: 'House balance',
        unit: 'currencyUSD',
        isStat: true,
        queries: one('tote_house_balance_dollars', ''),
      },
      { title: 'Exposure', unit: 'currencyUSD', isStat: true, queries: one('tote_exposure_dollars', '') },
    ],
  ],
  [
    'Orders',
    [
      {
        title: 'Time of accepted orders at the server',
        unit: 's',
        queries: quantiles('tote_order_duration_seconds'),
      },
      {
        title: 'p99 of its parts',
        description:
          'ring: until the engine takes it; engine: applied, and waiting for the commit before; commit: until durable; release: until the answer is sent',
        unit: 's',
        queries: [p99By('tote_order_stage_duration_seconds', 'stage')],
      },
      {
        title: 'Commands',
        unit: 'ops',
        queries: [[rate('tote_commands_total', 'kind, outcome'), '{{kind}} {{outcome}}']],
      },
    ],
  ],
  [
    'Requests',
    [
      {
        title: 'By status',
        unit: 'reqps',
        queries: [[rate('tote_http_requests_total', 'status'), '{{status}}']],
      },
      {
        title: 'By route',
        unit: 'reqps',
        queries: [[rate('tote_http_requests_total', 'method, route'), '{{method}} {{route}}']],
      },
      {
        title: 'Refusals',
        unit: 'reqps',
        queries: [
          [rate('tote_refusals_total', 'code'), '{{code}}'],
          [rate('tote_rate_limited_total', 'limit'), 'limit {{limit}}'],
        ],
      },
      {
        title: 'Connections and streams',
        unit: 'none',
        queries: [
          ['tote_http_connections', 'connections'],
          ['tote_streams', 'streams'],
        ],
      },
      {
        title: 'Streams opened and ended',
        unit: 'ops',
        queries: [
          [`rate(tote_streams_opened_total${RATE})`, 'opened'],
          [rate('tote_streams_ended_total', 'reason'), 'ended: {{reason}}'],
        ],
      },
    ],
  ],
  [
    'Journal and archive',
    [
      { title: 'Commits', unit: 's', queries: quantiles('tote_commit_duration_seconds') },
      {
        title: 'Commands in a batch',
        unit: 'none',
        queries: [
          [`rate(tote_batch_commands_sum${RATE}) / rate(tote_batch_commands_count${RATE})`, 'mean'],
          [`histogram_quantile(0.99, rate(tote_batch_commands_bucket${RATE}))`, 'p99'],
        ],
      },
      {
        title: 'Lags',
        unit: 'none',
        queries: [
          ['tote_journal_backlog_commands', 'journal'],
          ['tote_shadow_lag_commands', 'shadow'],
          ['tote_archive_lag_commands', 'archive'],
        ],
      },
      {
        title: 'Age of the newest snapshot',
        unit: 's',
        queries: one('time() - tote_snapshot_timestamp_seconds', 'age'),
      },
      {
        title: 'Free space',
        unit: 'bytes',
        queries: [
          ['tote_disk_free_bytes', 'free'],
          ['tote_recovery_needed_bytes', 'needed by a recovery'],
        ],
      },
    ],
  ],
  [
    'Replication',
    [
      {
        title: 'Who leads',
        unit: 'none',
        queries: one('tote_replication_role{role="leader"}', '{{instance}}'),
      },
      {
        title: 'Batches into the stream',
        unit: 's',
        queries: quantiles('tote_replication_publish_duration_seconds'),
      },
      {
        title: 'How far standbys are behind',
        unit: 's',
        queries: one('tote_replication_lag_seconds', '{{instance}}'),
      },
      {
        title: 'NATS servers away',
        unit: 's',
        queries: [
          ['tote_replication_away_seconds', '{{instance}}'],
          ['tote_replication_lease_age_seconds', 'age of the lease of {{instance}}'],
        ],
      },
      {
        title: 'Standbys, and messages that the furthest has not read',
        unit: 'none',
        queries: [
          ['tote_replication_standbys', 'standbys'],
          ['tote_replication_lag_messages', 'messages: {{instance}}'],
        ],
      },
      {
        title: 'Messages and takeovers',
        unit: 'none',
        queries: [
          [`rate(tote_replication_sequence${RATE})`, 'messages per second: {{instance}}'],
          ['max(tote_replication_epoch)', 'epoch'],
        ],
      },
    ],
  ],
  [
    'The exchange',
    [
      {
        title: 'Money',
        unit: 'currencyUSD',
        queries: [
          ['tote_house_balance_dollars', 'house'],
          ['tote_accounts_balance_dollars', 'accounts'],
          ['tote_open_stakes_dollars', 'open stakes'],
          ['tote_open_seeds_dollars', 'open seeds'],
          ['tote_reserved_stakes_dollars', 'reserved by limit orders'],
          ['tote_exposure_dollars', 'exposure'],
        ],
      },
      { title: 'Age of prices', unit: 's', queries: one('tote_feed_age_seconds', '{{asset}}') },
      {
        title: 'Rounds and bets',
        unit: 'none',
        queries: [
          ['tote_open_rounds', 'open rounds'],
          ['tote_unsettled_rounds', 'unsettled rounds'],
          ['tote_open_bets', 'open bets'],
          ['tote_resting_orders', 'resting limit orders'],
          ['tote_markets_without_capital', 'markets without capital'],
        ],
      },
    ],
  ],
  [
    'Threads and process',
    [
      {
        title: 'Busy threads',
        unit: 'percentunit',
        queries: [[`rate(tote_thread_busy_seconds_total${RATE})`, '{{thread}}']],
      },
      {
        title: 'Longest delay of an event loop',
        unit: 's',
        queries: [
          [
            `histogram_quantile(1, sum by (le, thread) (rate(tote_thread_delay_seconds_bucket${RATE})))`,
            '{{thread}}',
          ],
        ],
      },
      { title: 'Heap in use', unit: 'bytes', queries: one('tote_thread_heap_used_bytes', '{{thread}}') },
      { title: 'Memory', unit: 'bytes', queries: one('process_resident_memory_bytes', 'resident') },
      { title: 'CPU', unit: 'percentunit', queries: [[`rate(process_cpu_seconds_total${RATE})`, 'process']] },
      {
        title: 'Open files',
        unit: 'none',
        queries: [
          ['process_open_fds', 'open'],
          ['process_max_fds', 'at most'],
        ],
      },
    ],
  ],
];

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const COLUMNS = 24;
const SIZES = { stat: { w: 4, h: 4 }, plot: { w: 8, h: 8 } };

function panelOf(panel: Panel, id: number, x: number, y: number): object {
  const { title, description, unit, queries, isStat = false } = panel;
  const { w, h } = isStat ? SIZES.stat : SIZES.plot;
  const legend = { displayMode: 'list', placement: 'bottom', showLegend: true };
  return {
    id,
    type: isStat ? 'stat' : 'timeseries',
    title,
    ...(description === undefined ? {} : { description }),
    datasource: DATASOURCE,
    gridPos: { x, y, w, h },
    fieldConfig: { defaults: { unit, ...(isStat ? {} : { min: 0 }) }, overrides: [] },
    options: isStat ? { reduceOptions: { calcs: ['lastNotNull'] } } : { legend, tooltip: { mode: 'multi' } },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}

function panels(): object[] {
  const all: object[] = [];
  let y = 0;
  for (const [title, row] of ROWS) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of row) {
      const { w, h } = panel.isStat === true ? SIZES.stat : SIZES.plot;
      if (x + w > COLUMNS) {
        x = 0;
        y += height;
      }
      all.push(panelOf(panel, all.length + 1, x, y));
      x += w;
      height = h;
    }
    y += height;
  }
  return all;
}

/** All queries of the dashboard. */
export const dashboardQueries = (): string[] =>
  ROWS.flatMap(([, row]) => row.flatMap(({ queries }) => queries.map(([expr]) => expr)));

/** docs/monitoring/dashboard.json. */
export const dashboard = (): object => ({
  title: 'tote',
  uid: 'tote',
  description: 'Generated by test/monitoring/dashboard.ts: npm run monitoring',
  schemaVersion: 39,
  editable: true,
  refresh: '10s',
  time: { from: 'now-1h', to: 'now' },
  timezone: 'utc',
  templating: {
    list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', current: {} }],
  },
  panels: panels(),
});
