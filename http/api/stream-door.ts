/** GET /stream: the way from an ordinary request, checked and counted as one, to a WebSocket. */
import { KEY_READ } from '../../config/rate-limits.js';
import { scopesMask } from '../../engine/model/domain.js';
import type { Call, Verdict } from './call.js';
import { type Operation, STREAM_ROUTE } from './endpoint.js';

export interface Streams {
  open(call: Call): Verdict;
}

/** Each of these scopes is enough to open a stream; a subscription or an order there needs its own. */
const SCOPES = scopesMask(['markets:read', 'positions:read', 'orders:write']);

export function streamOperation(streams: Streams): Operation {
  return {
    route: STREAM_ROUTE,
    method: 'GET',
    path: '/stream',
    scope: SCOPES,
    keyLimit: KEY_READ,
    run: (call) => streams.open(call),
    replay: (_call, onReplay) => {
      onReplay(null);
      return null;
    },
  };
}
