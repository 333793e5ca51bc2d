/** Prometheus's alert rules and the alarms of the runbook, made of the one list of alarms. */
import { ALARMS, type Alarm } from '../../http/metrics/alarm-list.js';
import { limitOf } from '../../http/metrics/alarms.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly forSeconds: number;
  readonly severity: string;
  readonly summary: string;
  readonly description: string;
  readonly anchor: string;
}

/**
 * The server cannot tell these of itself. `exchange` is a label of the scrape, so that one Prometheus can watch
 * several.
 */
const FROM_OUTSIDE: readonly Rule[] = [
  {
    alert: 'ToteDown',
    anchor: 'down',
    expr: 'up{job="tote"} == 0',
    forSeconds: 30,
    severity: 'critical',
    summary: 'the server does not answer',
    description:
      'Its log says why it ended (event failed, disk_full or start_refused). A restart recovers every acknowledged order.',
  },
  {
    alert: 'ToteRestarts',
    anchor: 'restarts',
    expr: 'changes(process_start_time_seconds{job="tote"}[15m]) > 1',
    forSeconds: 0,
    severity: 'warning',
    summary: 'the server was started more than once within a quarter of an hour',
    description: 'Its log says why it ended: lines of level 60.',
  },
  {
    alert: 'ToteNoLeader',
    anchor: 'no_leader',
    expr: 'sum by (exchange) (tote_replication_role{role="leader"}) == 0',
    forSeconds: 10,
    severity: 'critical',
    summary: 'servers follow, and none of them leads',
    description:
      'The log of a standby says what it waits for: the lease, the NATS servers (replication_away), or a backup (replication_behind).',
  },
  {
    alert: 'ToteTwoLeaders',
    anchor: 'two_leaders',
    expr: 'sum by (exchange) (tote_replication_role{role="leader"}) > 1',
    forSeconds: 30,
    severity: 'warning',
    summary: 'two servers take themselves for the leader',
    description:
      'Only the one of the later epoch acknowledges anything; the other one cannot reach the NATS servers, or it would have ended. Stop it.',
  },
  {
    alert: 'ToteTakeover',
    anchor: 'takeover',
    expr: 'changes((max by (exchange) (tote_replication_epoch))[15m:10s]) > 0',
    forSeconds: 0,
    severity: 'warning',
    summary: 'another server has begun to lead within a quarter of an hour',
    description:
      'After a planned change there is nothing to do. Else see why the leader before ended, and that it follows again.',
  },
];

/** `clock_unsound` becomes `ToteClockUnsound`. */
const alertOf = ({ name }: Alarm): string =>
  `Tote${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`;

function exprOf(alarm: Alarm): string {
  const { promql, above } = alarm;
  const figure = / [-+/*] /.test(promql) ? `(${promql})` : promql;
  return `${figure} ${above === undefined ? '<' : '>'} ${limitOf(alarm)}`;
}

const ruleOf = (alarm: Alarm): Rule => ({
  anchor: alarm.name,
  alert: alertOf(alarm),
  expr: exprOf(alarm),
  forSeconds: alarm.forSeconds ?? 0,
  severity: alarm.severity,
  summary: alarm.what,
  description: alarm.advice,
});

const quoted = (text: string): string => JSON.stringify(text);

const yamlOf = ({ alert, expr, forSeconds, severity, summary, description, anchor }: Rule): string => `
      - alert: ${alert}
        expr: ${quoted(expr)}
        for: ${forSeconds}s
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          description: ${quoted(description)}
          runbook_url: docs/ops/runbook.md#${anchor}
`;

export const alertRules =
  (): string => `# Alert rules for Prometheus. Generated from http/metrics/alarm-list.ts: TOTE_TEST_WRITE=1 npm test -- monitoring
groups:
  - name: tote
    rules:${[...FROM_OUTSIDE, ...ALARMS.map(ruleOf)].map(yamlOf).join('').trimEnd()}
`;

const sectionOf = (alarm: Alarm): string => `### ${alarm.name}

${alarm.severity}: ${alarm.what}. ${alarm.advice}
`;

const sectionOfRule = ({ anchor, alert, severity, summary, description }: Rule): string => `### ${anchor}

${severity}, by Prometheus alone (\`${alert}\`): ${summary}. ${description}
`;

const BEGIN = '<!-- alarms -->';
const END = '<!-- end of alarms -->';

export function pageWithAlarms(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const sections = [...ALARMS.map(sectionOf), ...FROM_OUTSIDE.map(sectionOfRule)];
  return `${before}${BEGIN}\n\n${sections.join('\n')}\n${END}${after}`;
}
