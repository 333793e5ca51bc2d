import type { Clock, HttpHandler } from '../../engine/model/ports.js';
import { type BoardMemory, boardOf } from '../board/markets.js';
import { later } from '../kit/client-work.js';
import type { Raised } from '../metrics/alarms.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Callers } from '../operator/access/callers.js';
import type { TokenGuard } from '../operator/access/token-guard.js';
import { TAGS } from '../operator/endpoint.js';
import type { EngineQueries } from '../operator/queries/query.js';
import { type ApiPage, apiPages } from '../pages/docs-page.js';
import type { StaticPages } from '../pages/static-pages.js';
import { Console, STREAM_PATH } from './console.js';
import { ConsoleGuard } from './console-guard.js';
import { LiveMessages, type StandbyMessage } from './live-message.js';
import { loadPage } from './page-files.js';
import { Sessions } from './sessions.js';
import { Watchers, type WatchersOptions } from './watchers.js';

/** The page asks for the operator API's document with the session of the console. */
const API_PAGE: ApiPage = {
  title: 'tote operator API',
  documentPath: '/operator/v1/openapi.json',
  navigation:
    '<a href="/console">Console</a> <a href="/operator/v1/openapi.json">OpenAPI document</a> (both need you to be logged in)',
  tags: Object.keys(TAGS),
};

export const CONSOLE_STREAMS: readonly string[] = [STREAM_PATH];

export interface OpenConsole {
  readonly callers: Callers;
  /** Leaves requests for other paths to `next`. */
  wrap(next: HttpHandler): HttpHandler;
  tick(): void;
  close(): void;
}

interface CommonOptions {
  readonly tokens: TokenGuard;
  /** Made of the master secret (`sessionKeyOf`). */
  readonly sessionKey: Uint8Array;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export interface ConsoleOptions extends CommonOptions {
  readonly board: BoardMemory;
  readonly engine: EngineQueries;
  readonly alarms: () => readonly Raised[];
}

export function openConsole({ board, engine, alarms, ...common }: ConsoleOptions): OpenConsole {
  const messages = new LiveMessages(boardOf(board));
  return open({
    ...common,
    isStandby: false,
    otherPages: apiPages(API_PAGE),
    render: (send) => {
      const rendered = engine.ask('pulse', {}).then((pulse) => messages.textOf(pulse, alarms()));
      const failed = later((error: unknown) => {
        send(null);
        throw error;
      });
      void rendered.then(later(send), failed);
    },
  });
}

export interface StandbyConsoleOptions extends CommonOptions {
  readonly replication: () => StandbyStatus;
}

/** For a server that follows: its page shows that alone. */
export function openStandbyConsole({ replication, ...common }: StandbyConsoleOptions): OpenConsole {
  return open({
    ...common,
    isStandby: true,
    otherPages: new Map(),
    render: (send) => {
      const message: StandbyMessage = { timeMs: common.clock.nowMs(), replication: replication() };
      send(JSON.stringify(message));
    },
  });
}

interface Parts extends CommonOptions, Pick<WatchersOptions, 'render'> {
  readonly isStandby: boolean;
  readonly otherPages: StaticPages;
}

function open({ tokens, sessionKey, clock, isStandby, otherPages, render }: Parts): OpenConsole {
  const sessions = new Sessions(sessionKey, clock, tokens);
  const watchers = new Watchers({ isOpen: (session) => sessions.isOpen(session), render });
  const page = new Map([...loadPage(), ...otherPages]);
  const console = new Console({ tokens, sessions, watchers, page, isStandby });
  return {
    callers: new ConsoleGuard(tokens, sessions),
    wrap: (next) => console.wrap(next),
    tick: () => watchers.tick(),
    close: () => watchers.close(),
  };
}
