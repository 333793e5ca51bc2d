/**
 * The operators' port of a server that follows: `/healthz` and `/readyz` for load balancers, `/metrics`, and a status
 * that can only be read. The leader answers everything else.
 */
import type { HttpHandler } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { LogGaugeName } from '../metrics/gauges.js';
import { MetricsPage } from '../metrics/prometheus/exposition.js';
import {
  accessFamily,
  clientFaultsFamily,
  type GuessCounts,
  logFamilies,
} from '../metrics/prometheus/families.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Callers } from '../operator/access/callers.js';
import { createOperatorApi } from '../operator/api.js';
import { answer, type OperatorRoute, sendResult } from '../operator/endpoint.js';
import { metricsRoute } from '../operator/server.js';

export interface StandbyApiOptions {
  readonly callers: Callers;
  readonly guesses: () => GuessCounts;
  readonly facts: () => StandbyStatus;
  readonly version: string;
  /** Programming errors that have ended a request or a stream. */
  readonly clientFaults: () => number;
}

const STATUS_PATH = '/operator/v1/status';

export function createStandbyApi(options: StandbyApiOptions): HttpHandler {
  const { callers, guesses, facts, version, clientFaults } = options;
  const page = new MetricsPage(version);
  const metrics = metricsRoute(page.contentType, () =>
    page.text([
      ...standbyFamilies(facts()),
      accessFamily(guesses()),
      clientFaultsFamily([[{ thread: 'standby' }, clientFaults()]]),
    ]),
  );
  const status: OperatorRoute = {
    method: 'GET',
    path: '/status',
    role: 'read',
    handle: () => answer(200, facts()),
  };
  const reason = (): string => reasonOf(facts());
  const api = createOperatorApi({
    routes: [status],
    rootRoutes: [metrics],
    callers,
    denials: null,
    health: {
      turnAgeMs: () => 0,
      notReady: () => [{ check: 'process', code: 'standby', reason: reason() }],
    },
  });
  return (request, responder) => {
    const isOthers = request.path.startsWith('/operator/v1/') && request.path !== STATUS_PATH;
    if (isOthers) sendResult(responder, new Refused('standby', reason()));
    else api(request, responder);
  };
}

function standbyFamilies({ epoch, streamSequence, awayMs, messagesBehind, behindMs }: StandbyStatus) {
  const figures: Readonly<Partial<Record<LogGaugeName, number | null>>> = {
    epoch,
    logSequence: streamSequence,
    logAwayMs: awayMs,
    standbyMessagesBehind: messagesBehind,
    standbyBehindMs: behindMs,
  };
  return logFamilies('standby', (name) => figures[name]);
}

const reasonOf = ({ leader }: StandbyStatus): string =>
  leader === null ? 'this server waits for a leader' : `this server follows ${leader}: ask there`;
