/** Metrics of requests, orders and streams, summed over the gateways. */

import { RATE_LIMIT_NAMES } from '../../../config/rate-limits.js';
import { ERROR_CODES, GATEWAY_PLACES, STATUSES, STREAM_ENDS } from '../gateway-meter.js';
import type { Reading } from '../readings.js';
import { counter, type Family, gauge, histogram, type Labelled } from './family.js';

/** Requests are counted by it (`http/api/endpoint.ts`). */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

export const gatewayFamilies = (reading: Reading, routes: readonly RouteName[]): Family[] => [
  counter(
    'tote_http_requests_total',
    'Answered requests of the public API by route and status; orders over streams have the method STREAM, what is no route has the route "other"',
    requests(reading, routes),
  ),
  counter(
    'tote_refusals_total',
    'Refused requests of the public API by error code',
    named(reading, GATEWAY_PLACES.refusals, 'code', ERROR_CODES),
  ),
  counter(
    'tote_rate_limited_total',
    'Requests that a rate limit refused, by the limit that was named to the client',
    RATE_LIMIT_NAMES.map(([limit], at) => [{ limit }, reading.gateways[GATEWAY_PLACES.limited + at] ?? 0]),
  ),
  histogram(
    'tote_order_duration_seconds',
    'Time of accepted orders at the server, from the whole request until its answer is handed to the socket',
    [[{}, reading.orders]],
  ),
  histogram(
    'tote_order_stage_duration_seconds',
    'Parts of that time: ring (until the engine takes it), engine (applied, and waiting for the commit before), commit (until durable), release (until sent)',
    reading.stages.map(({ name, took }) => [{ stage: name }, took]),
  ),
  gauge(
    'tote_http_connections',
    'Open connections of the public port, streams included',
    reading.connections,
  ),
  gauge(
    'tote_connections_taken_share',
    "The part of a port's connections that is taken",
    Object.entries(reading.connectionsTaken).map(([port, share]) => [{ port }, share]),
  ),
  gauge('tote_streams', 'Open streams', reading.gateways[GATEWAY_PLACES.streams] ?? 0),
  counter(
    'tote_streams_opened_total',
    'Streams that were opened',
    reading.gateways[GATEWAY_PLACES.streamsOpened] ?? 0,
  ),
  counter(
    'tote_streams_ended_total',
    'Streams that have ended, by the error code with which the server ended them; "closed" for all others',
    named(reading, GATEWAY_PLACES.streamEnds, 'reason', STREAM_ENDS),
  ),
];

/** Only names that have ever happened. */
function named({ gateways }: Reading, at: number, label: string, names: readonly string[]): Labelled {
  return names
    .map((name, index) => [{ [label]: name }, gateways[at + index] ?? 0] as const)
    .filter(([, value]) => value > 0);
}

function requests({ gateways }: Reading, routes: readonly RouteName[]): Labelled {
  return routes.flatMap(({ method, path }, route) =>
    STATUSES.flatMap((status, at) => {
      const value = gateways[GATEWAY_PLACES.requests + route * STATUSES.length + at] ?? 0;
      const labels = { method, route: path, status: status === 0 ? 'other' : status };
      return value === 0 ? [] : [[labels, value] as const];
    }),
  );
}
