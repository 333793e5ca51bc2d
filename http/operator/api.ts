/**
 * The operator API: JSON in the public API's envelope, on a port of its own, for holders of an operator token whose
 * role is enough. Every change is a journaled command, and every answer waits until the facts in it are durable.
 *
 * It runs on a thread of its own, which reads and checks requests and makes the answers' text. It asks the engine's
 * thread for the state (`queries/`), and the archive's reader for what has left memory.
 */
import type { OperatorCaller } from '../../engine/model/operators.js';
import type { HttpHandler, HttpRequest } from '../../engine/model/ports.js';
import { later } from '../kit/client-work.js';
import { refuseQuery } from '../kit/params.js';
import { NOT_FOUND, Refused } from '../kit/refused.js';
import { isRead, Router } from '../kit/router.js';
import { type Callers, type Denials, refuseRole } from './access/callers.js';
import { answer, Call, type OperatorRoute, PREFIX, type Result, sendResult } from './endpoint.js';

const NOBODY: OperatorCaller = { name: '', role: 'read' };

interface OperatorApiOptions {
  readonly routes: readonly OperatorRoute[];
  readonly callers: Callers;
  /** null if every role may do all that there is. */
  readonly denials: Denials | null;
}

export function createOperatorApi({ routes, callers, denials }: OperatorApiOptions): HttpHandler {
  const router = new Router([''], routes);
  const resultOf = async (request: HttpRequest): Promise<Result> => {
    const { method, path, fault } = request;
    if (fault !== null) return new Refused(fault.code, fault.detail);
    const found = router.find(path);
    const isOpen =
      found === null
        ? !`${path}/`.startsWith(`${PREFIX}/`)
        : found.resource.byMethod.get('GET')?.role === null;
    const caller = isOpen ? NOBODY : callers.identify(request);
    if (caller instanceof Refused) return caller;
    if (found === null) return NOT_FOUND;
    const route = found.resource.byMethod.get(method);
    if (route !== undefined) {
      const result = await handled(route, new Call(request, caller, found.params));
      // Some handlers ask for a higher role than their route, depending on the body.
      if (result instanceof Refused && result.code === 'insufficient_role')
        denials?.note(caller, `${route.method} ${route.path.replace(PREFIX, '')}`);
      return result;
    }
    const allow = ['Allow', found.resource.allow];
    if (method === 'OPTIONS') return answer(204, null, allow);
    return new Refused('method_not_allowed', `${method} is not offered here`, allow);
  };
  return (request, responder) => {
    const failed = later((error: unknown) => {
      throw error;
    });
    void resultOf(request).then(
      later((result) => sendResult(responder, result)),
      failed,
    );
  };
}

async function handled(route: OperatorRoute, call: Call): Promise<Result> {
  const { method, query } = call.request;
  const refused = refuseRole(call.caller, route.role ?? 'read');
  if (refused !== null) return refused;
  try {
    if (!isRead(method)) refuseQuery(query);
    return await route.handle(call);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}
