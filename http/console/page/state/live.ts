/**
 * The console's stream, over one WebSocket as long as somebody is logged in. Where it breaks it is opened again within
 * two seconds.
 */
import { computed, effect, signal } from '@preact/signals';
import type { LiveMessage, PageTag, StandbyMessage } from '../../live-message.js';
import { findSession } from './api.js';

/** The newest message, which comes each second; null before the first. */
export const news = signal<LiveMessage | StandbyMessage | null>(null);
/** null before the first message, and on a standby. */
export const live = computed(() => (news.value !== null && 'markets' in news.value ? news.value : null));
/** This machine's name in a replicated exchange; null where there is but one machine, or not known yet. */
export const node = computed(() => news.value?.replication?.node ?? null);
// An operator who has the consoles of several machines open tells their tabs apart.
effect(() => {
  document.title = node.value === null ? 'tote console' : `${node.value}: tote console`;
});
/** The newest message is one of the last seconds. */
export const isFresh = signal(false);
/** The server has another script than it had when this page got its first message. */
export const isOutdated = signal(false);
let script: string | null = null;
/** The server's own word on why it has closed the last stream, or what may keep the first one from opening, or ''. */
export const closedBecause = signal('');

const NO_STREAM =
  'No stream has opened yet: the server is away, or a proxy on the way does not pass on WebSocket upgrades.';
const LOOK_EVERY_MS = 1_000;
const SILENT_LOOKS_MAX = 4;

/** Returns what ends it. */
export function watch(): () => void {
  let socket: WebSocket;
  /** After a page that was busy for long, one look comes before the messages that wait. */
  let silentLooks: number;
  const open = (): void => {
    const { protocol, host } = location;
    const opened = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/console/stream`);
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      if (socket !== opened) return;
      const message = JSON.parse(data) as (LiveMessage | StandbyMessage) & PageTag;
      script ??= message.script;
      isOutdated.value = message.script !== script;
      news.value = message;
      isFresh.value = true;
      closedBecause.value = '';
      silentLooks = 0;
    };
    opened.onclose = ({ reason }) => {
      closedBecause.value = reason || (news.value === null ? NO_STREAM : '');
    };
    socket = opened;
    silentLooks = 0;
  };
  const look = (): void => {
    silentLooks += 1;
    if (socket.readyState <= WebSocket.OPEN && silentLooks < SILENT_LOOKS_MAX) return;
    isFresh.value = false;
    socket.close();
    open();
    // A browser is not told why its stream is refused.
    void findSession();
  };
  open();
  const looks = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(looks);
    socket.close();
    isFresh.value = false;
  };
}
