/**
 * The console's stream, over one WebSocket as long as somebody is logged in. Where it breaks it is opened again within
 * two seconds, with some chance in it, so that pages do not come back at the same moment.
 */
import { computed, signal } from '@preact/signals';
import type { LiveMessage, StandbyMessage } from '../../live-message.js';
import { findSession } from './api.js';
import { session } from './session.js';

export const live = signal<LiveMessage | null>(null);
/** From a server that follows, in place of `live`. */
export const standby = signal<StandbyMessage | null>(null);
/** This machine's name in a replicated exchange; null where there is but one machine, or not known yet. */
export const node = computed(() => (live.value ?? standby.value)?.replication?.node ?? null);
/** The newest message is one of the last seconds. */
export const isFresh = signal(false);

/** Messages come each second. */
const STALE_MS = 4_000;
const WAIT_MS = 1_000;

let socket: WebSocket | null = null;
let again: ReturnType<typeof setTimeout> | undefined;
let stale: ReturnType<typeof setTimeout> | undefined;

export function watch(): void {
  const { protocol, host } = location;
  const opened = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/console/stream`);
  socket = opened;
  const lose = (): void => {
    if (socket !== opened) return;
    stopWatching();
    again = setTimeout(() => void watchAgain(), WAIT_MS * (0.5 + Math.random() / 2));
  };
  const patience = (): void => {
    clearTimeout(stale);
    stale = setTimeout(lose, STALE_MS);
  };
  opened.onmessage = ({ data }: MessageEvent<string>) => {
    if (socket !== opened) return;
    take(JSON.parse(data) as LiveMessage | StandbyMessage);
    patience();
  };
  opened.onclose = lose;
  patience();
}

/** A browser is not told why its stream is refused, or that another server answers now. */
async function watchAgain(): Promise<void> {
  const before = again;
  await findSession();
  if (again === before && session.value !== null) watch();
}

export function stopWatching(): void {
  clearTimeout(again);
  clearTimeout(stale);
  again = undefined;
  const open = socket;
  socket = null;
  open?.close();
  isFresh.value = false;
}

function take(message: LiveMessage | StandbyMessage): void {
  const isOfLeader = 'markets' in message;
  live.value = isOfLeader ? message : null;
  standby.value = isOfLeader ? null : message;
  isFresh.value = true;
}
