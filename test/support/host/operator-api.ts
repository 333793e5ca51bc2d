/** The operator API and the engine behind it in one thread, without a socket or a disk: for the cases of a rule. */
import { setImmediate } from 'node:timers/promises';
import { keyDigest } from '../../../crypto/api-keys.js';
import type { ArchiveReads } from '../../../engine/model/archive-reads.js';
import { OPERATOR_ROLES, type OperatorRole } from '../../../engine/model/operators.js';
import type { PushFeed } from '../../../feeds/push-feed.js';
import { Denials } from '../../../http/operator/access/callers.js';
import { TokenGuard } from '../../../http/operator/access/token-guard.js';
import { createOperatorApi } from '../../../http/operator/api.js';
import { routeOf } from '../../../http/operator/endpoint.js';
import { ENDPOINTS } from '../../../http/operator/endpoints.js';
import { EarningsCache } from '../../../http/operator/figures/earnings.js';
import { OperatorQueries } from '../../../http/operator/queries/operator-queries.js';
import { EngineQueries } from '../../../http/operator/queries/query.js';
import { NO_ARCHIVE } from '../engine/archive-of-journal.js';
import { headerList, plainRequest } from '../http/plain-request.js';
import type { TestHost } from './host.js';
import { liveHost } from './host.js';

interface OperatorAnswer<T> {
  readonly status: number;
  readonly error: string;
  readonly data: T;
  readonly text: string;
  readonly headers: ReadonlyMap<string, string>;
}

function fail(error: unknown): never {
  throw error;
}

const tokenOf = (role: OperatorRole): string => `token-of-the-role-${role}`;

export function operatorDesk(
  host: Pick<TestHost, 'sequencer' | 'lifecycle' | 'tracker' | 'schedule'>,
  onFault: (error: unknown, kind: string) => string = fail,
  onFatal: (error: unknown) => void = fail,
  pushFeed: PushFeed | null = null,
): OperatorQueries {
  return new OperatorQueries({
    ...{ ...host, pushFeed, onFault, onFatal },
    manualRun: null,
    status: null,
    beforeTelling: () => undefined,
  });
}

export function operatorRoutes(engine: EngineQueries, archive: ArchiveReads): ReturnType<typeof routeOf>[] {
  const services = {
    ...{ engine, archive },
    earnings: new EarningsCache(),
    vitals: () => ({ everySeconds: 5, times: [], columns: {}, alarms: [] }) as never,
    prices: () => ({ timesMs: [], prices: [] }),
    document: () => '{}',
    trace: () => null,
  };
  return ENDPOINTS.map((endpoint) => routeOf(endpoint, services));
}

/** Each role has a token, whose name is the role's. */
export function operatorApi() {
  const host = liveHost();
  const { clock, engine } = host;
  const queries = new EngineQueries(operatorDesk(host).answer);
  const denials = new Denials(clock);
  const tokens = OPERATOR_ROLES.map((role) => ({ name: role, role, digest: keyDigest(tokenOf(role)) }));
  const handle = createOperatorApi({
    routes: operatorRoutes(queries, NO_ARCHIVE),
    callers: new TokenGuard(tokens, clock),
    denials,
  });
  async function send<T>(
    method: string,
    path: string,
    body?: unknown,
    { role = 'admin' as OperatorRole | null } = {},
  ): Promise<OperatorAnswer<T>> {
    const [bare = '', query = ''] = path.split('?');
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
    const request = plainRequest({
      method,
      path: `/operator/v1${bare}`,
      query,
      contentType: body === undefined ? '' : 'application/json',
      authorization: role === null ? '' : `Bearer ${tokenOf(role)}`,
      body: Buffer.from(body === undefined ? '' : text),
    });
    const answers: OperatorAnswer<T>[] = [];
    handle(request, {
      send: (status, headers, sent) => {
        const list = headerList(headers);
        const names = list.filter((_, at) => at % 2 === 0);
        const { data, error = '' } = sent === '' ? {} : JSON.parse(String(sent));
        answers.push({
          status,
          error,
          data,
          text: String(sent),
          headers: new Map(names.map((name, at) => [name.toLowerCase(), list[2 * at + 1] ?? ''])),
        });
      },
    });
    for (;;) {
      await setImmediate();
      const [answer] = answers;
      if (answer !== undefined) return answer;
      host.settle();
    }
  }
  return { host, engine, denials, send };
}
