/** Endpoints of the server's state. */
import typia, { type tags } from 'typia';
import { isoText } from '../../engine/base/iso-text.js';
import { refuseInvalid } from '../kit/refused.js';
import type { MetricsPage } from '../metrics/prometheus/exposition.js';
import type { Family } from '../metrics/prometheus/family.js';
import { Answer, type Declared, type OperatorRoute, type Reason, timeIn } from './endpoint.js';
import type { VitalsResource } from './figures/vitals.js';

/** The time by another clock than the server's. */
interface ConfirmClockBody {
  readonly time: string & tags.Format<'date-time'>;
  readonly reason: Reason & tags.MinLength<1>;
}
export interface ClockTime {
  readonly time: string;
}

const validateConfirmClock = typia.createValidateEquals<ConfirmClockBody>();

export const SERVER_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/status',
    id: 'getStatus',
    summary: "The server's state on one page",
    text: 'It does not wait for the journal. docs/ops/runbook.md says what to do at each alarm.',
    handle: ({ engine }) => engine.ask('status', {}),
  },
  {
    method: 'GET',
    path: '/vitals',
    id: 'getVitals',
    summary: 'Figures of the last hour, and the alarms that are raised',
    parameters: ['since'],
    schemas: typia.json.schemas<[VitalsResource], '3.1'>(),
    handle: ({ vitals }, { given }) => {
      const since = given.get('since') ?? '0';
      if (!/^\d{1,12}(\.\d{1,3})?$/.test(since)) refuseInvalid('since must be a time in seconds since 1970');
      return vitals(Number(since));
    },
  },
  {
    method: 'POST',
    path: '/clock/confirm',
    role: 'admin',
    id: 'confirmClock',
    summary: 'Believe a clock that is far ahead of the journal',
    text: 'Until then nothing is settled and no order is taken.',
    schemas: typia.json.schemas<[ClockTime, ConfirmClockBody], '3.1'>(),
    handle: async ({ engine }, call) => {
      const timeMs = timeIn('time', call.body(validateConfirmClock).time);
      return clockTime(await engine.ask('confirmClock', { timeMs, by: call.by }));
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenApi',
    summary: 'This document',
    shape: 'text',
    handle: ({ document }) => new Answer(200, document()),
  },
];

export const clockTime = (timeMs: number): ClockTime => ({ time: isoText(timeMs) });

/** Prometheus looks for its figures below no prefix. Its library is loaded when they are first asked for. */
export function metricsRoute(version: string, families: () => readonly Family[]): OperatorRoute {
  let loading: Promise<MetricsPage> | null = null;
  return {
    method: 'GET',
    path: '/metrics',
    role: 'read',
    handle: async () => {
      loading ??= import('../metrics/prometheus/exposition.js').then(
        (found) => new found.MetricsPage(version),
      );
      const page = await loading;
      return new Answer(200, await page.text(families()), [], page.contentType);
    },
  };
}
