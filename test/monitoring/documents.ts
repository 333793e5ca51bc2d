/** The documents on monitoring that follow from the sources. */

import { dashboard } from './dashboard.js';
import { alarmTable, alertRules } from './rules.js';

const BEGIN = '<!-- alarms: npm run monitoring -->';
const END = '<!-- end of alarms -->';

export const RULES_FILE = 'docs/monitoring/alerts.yml';
export const DASHBOARD_FILE = 'docs/monitoring/dashboard.json';
export const PAGE_FILE = 'docs/monitoring.md';

export const dashboardText = (): string => `${JSON.stringify(dashboard(), null, 2)}\n`;

/** The page with the table of alarms as it is now. */
export function pageWithAlarms(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${alarmTable()}\n\n${END}${after}`;
}

export { alertRules };
