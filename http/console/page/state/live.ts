/**
 * The stream of what changes by itself, over one WebSocket as long as somebody is logged in. It is opened again where it breaks, after
 * a wait that grows and has some chance in it, so that many pages do not come back at the same moment.
 */
import { computed, signal } from '@preact/signals';
import type { LiveMessage, StandbyMessage } from '../../live-message.js';
import { SESSION_ENDED } from '../../session-resource.js';
import { checkSession } from './api.js';
import { ENDED, endSession, session } from './session.js';

export const live = signal<LiveMessage | null>(null);
/** Of a server that follows, in place of the one above. */
export const standby = signal<StandbyMessage | null>(null);
/** This machine's name in a replicated exchange; null where there is but one machine, or not known yet. */
export const node = computed(() => (live.value ?? standby.value)?.replication?.node ?? null);
/** Whether the newest message is one of the last seconds. */
export const isFresh = signal(false);

/** Messages come each second. */
const STALE_MS = 4_000;
const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 15_000;

let socket: WebSocket | null = null;
let waitMs = WAIT_MS_MIN;
let again: ReturnType<typeof setTimeout> | undefined;
let stale: ReturnType<typeof setTimeout> | undefined;

export function watch(): void {
  const { protocol, host } = location;
  const opened = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/console/stream`);
  socket = opened;
  opened.onmessage = ({ data }: MessageEvent<string>) => {
    if (socket === opened) take(JSON.parse(data) as LiveMessage | StandbyMessage);
  };
  opened.onclose = ({ code }) => {
    if (socket !== opened) return;
    isFresh.value = false;
    if (code === SESSION_ENDED) {
      stopWatching();
      endSession(ENDED);
      return;
    }
    again = setTimeout(() => void watchAgain(opened), waitMs * (0.5 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, WAIT_MS_MAX);
  };
}

/** A server that was started again knows no session of before, and a browser is not told why its stream is refused. */
async function watchAgain(broken: WebSocket): Promise<void> {
  await checkSession();
  if (socket === broken && session.value !== null) watch();
}

export function stopWatching(): void {
  clearTimeout(again);
  clearTimeout(stale);
  const open = socket;
  socket = null;
  open?.close();
  isFresh.value = false;
  live.value = null;
  standby.value = null;
}

function take(message: LiveMessage | StandbyMessage): void {
  waitMs = WAIT_MS_MIN;
  if ('markets' in message) live.value = message;
  else standby.value = message;
  isFresh.value = true;
  clearTimeout(stale);
  stale = setTimeout(() => {
    isFresh.value = false;
  }, STALE_MS);
}
