/**
 * The operators' port of a server that follows: `/healthz` and `/readyz` for load balancers, and a status that can only be
 * read. Everything else is the leader's to answer.
 */
import { fail } from '../../engine/base/assert.js';
import { archiveReads } from '../../engine/model/archive-reads.js';
import type { HttpHandler } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { Callers } from '../operator/access/callers.js';
import { createOperatorApi } from '../operator/api.js';
import { answer, type Route } from '../operator/call.js';
import { sendResult } from '../operator/send-result.js';

/** What a server that follows knows of itself. */
export interface StandbyFacts {
  readonly role: 'standby';
  /** Its own name. */
  readonly node: string;
  /** The name of whoever leads, or led last; null if nobody has. */
  readonly leader: string | null;
  readonly lease: string;
  readonly epoch: number;
  /** Number of the last command in its engine. */
  readonly sequence: number;
  /** Messages of the log that it has not read yet; null while it does not know. */
  readonly messagesBehind: number | null;
  /** Why the log gives no answer, or null. */
  readonly trouble: string | null;
}

export interface StandbyApiOptions {
  readonly callers: Callers;
  readonly facts: () => StandbyFacts;
  readonly onFatal: (error: unknown) => void;
}

const asksNobody = (): never => fail('what a standby serves needs nobody to be asked');
const STATUS_PATH = '/operator/v1/status';

export function createStandbyApi({ callers, facts, onFatal }: StandbyApiOptions): HttpHandler {
  const status: Route = { method: 'GET', path: '/status', role: 'read', handle: () => answer(200, facts()) };
  const reason = (): string => reasonOf(facts());
  const api = createOperatorApi({
    ask: asksNobody,
    archive: archiveReads(asksNobody),
    routes: [status],
    rootRoutes: [],
    callers,
    denials: null,
    health: {
      turnAgeMs: () => 0,
      notReady: () => [{ check: 'process', code: 'standby', reason: reason() }],
    },
    onFatal,
  });
  return (request, responder) => {
    const isOthers = request.path.startsWith('/operator/v1/') && request.path !== STATUS_PATH;
    if (isOthers) sendResult(responder, new Refused('standby', reason()));
    else api(request, responder);
  };
}

const reasonOf = ({ leader }: StandbyFacts): string =>
  leader === null ? 'this server waits for a leader' : `this server follows ${leader}: ask there`;
