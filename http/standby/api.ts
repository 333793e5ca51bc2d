/**
 * The operators' port of a server that follows: `/healthz` and `/readyz` for load balancers, `/metrics`, and a status
 * that can only be read. The leader answers everything else.
 */
import type { HttpHandler } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import { type Build, MetricsPage } from '../metrics/prometheus/exposition.js';
import { replicationFamilies } from '../metrics/prometheus/replication-families.js';
import {
  accessFamilies,
  clientFaultsFamily,
  type GuessCounts,
} from '../metrics/prometheus/thread-families.js';
import type { ReplicationFigures, StandbyStatus } from '../metrics/replication.js';
import type { Callers } from '../operator/access/callers.js';
import { createOperatorApi } from '../operator/api.js';
import { answer, type OperatorRoute, sendResult } from '../operator/endpoint.js';
import { metricsRoute } from '../operator/server.js';

export interface StandbyApiOptions {
  readonly callers: Callers;
  readonly guesses: () => GuessCounts;
  readonly facts: () => StandbyStatus;
  readonly build: Build;
  /** Programming errors that have ended a request or a stream. */
  readonly clientFaults: () => number;
}

const STATUS_PATH = '/operator/v1/status';

export function createStandbyApi(options: StandbyApiOptions): HttpHandler {
  const { callers, guesses, facts, build, clientFaults } = options;
  const page = new MetricsPage(build);
  const metrics = metricsRoute(page.contentType, () =>
    page.text([
      ...replicationFamilies(figuresOf(facts()), null),
      ...accessFamilies(guesses()),
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

const figuresOf = ({ streamSequence, ...facts }: StandbyStatus): ReplicationFigures => ({
  ...facts,
  sequence: streamSequence,
  lease: null,
  standbys: null,
});

const reasonOf = ({ leader }: StandbyStatus): string =>
  leader === null ? 'this server waits for a leader' : `this server follows ${leader}: ask there`;
