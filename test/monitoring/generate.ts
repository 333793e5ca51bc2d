/** Writes the documents on monitoring that follow from the sources: `npm run monitoring`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../house/sources.js';
import {
  alertRules,
  DASHBOARD_FILE,
  dashboardText,
  PAGE_FILE,
  pageWithAlarms,
  RULES_FILE,
} from './documents.js';

const page = join(project, PAGE_FILE);
writeFileSync(join(project, RULES_FILE), alertRules());
writeFileSync(join(project, DASHBOARD_FILE), dashboardText());
writeFileSync(page, pageWithAlarms(readFileSync(page, 'utf8')));
