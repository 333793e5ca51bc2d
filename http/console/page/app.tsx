/** The frame around all views: the session, the navigation, and the state of the whole server. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionResource } from '../sessions.js';
import { Condition } from './condition.js';
import { ActionDialog } from './parts/action-dialog.js';
import { Loading } from './parts/basics.js';
import { notice } from './state/action.js';
import { logOut } from './state/api.js';
import { placeOf } from './state/format.js';
import { isFresh, live, node, standby, stopWatching, watch } from './state/live.js';
import { linkTo, route } from './state/route.js';
import { session } from './state/session.js';
import { AccountView } from './views/account.js';
import { AccountsView, SearchView } from './views/accounts.js';
import { AuditView } from './views/audit.js';
import { BetView, KeyView } from './views/bet.js';
import { HouseView } from './views/house.js';
import { LoginView } from './views/login.js';
import { ReplicationView, StandbyView } from './views/machines.js';
import { MarketView } from './views/market.js';
import { MarketsView } from './views/markets.js';
import { OverviewView } from './views/overview.js';
import { RoundView } from './views/rounds.js';
import { RulesView } from './views/rules.js';
import { SystemView } from './views/system.js';

type Render = (id: string | undefined, inner: string | undefined) => JSX.Element;

/** By the first part of the address. Views with a title stand in the navigation. */
const VIEWS: Readonly<Record<string, readonly [title: string | null, render: Render]>> = {
  overview: ['Overview', () => <OverviewView />],
  markets: [
    'Markets',
    (id, round) => {
      if (id === undefined) return <MarketsView />;
      return round === undefined ? <MarketView id={id} /> : <RoundView market={id} id={round} />;
    },
  ],
  house: ['House', () => <HouseView />],
  accounts: ['Accounts', (id) => (id === undefined ? <AccountsView /> : <AccountView id={id} />)],
  rules: ['Rules', () => <RulesView />],
  audit: ['Audit', () => <AuditView />],
  system: ['System', () => <SystemView />],
  replication: ['Replication', () => <ReplicationView />],
  bets: [null, (id = '') => <BetView id={id} />],
  keys: [null, (id = '') => <KeyView id={id} />],
  search: [null, (text = '') => <SearchView text={text} />],
};
const FIRST = 'overview';

export function App(): JSX.Element {
  const who = session.value;
  if (who === undefined) return <Loading error="" />;
  return who === null ? <LoginView /> : <Console {...who} />;
}

function Console({ name, role, isStandby }: SessionResource): JSX.Element {
  useEffect(() => {
    watch();
    return stopWatching;
  }, []);
  useTitle();
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header>
        <a class="home" href={linkTo(FIRST)}>
          tote
        </a>
        {!isStandby && <Navigation />}
        <p class="who">
          <span>
            {name} <span class="quiet">({role})</span>
          </span>
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        </p>
      </header>
      <div class="page">
        <div class="bar">
          <Condition />
          {!isStandby && <SearchBox />}
        </div>
        <p class="notice" role="status">
          {notice.value}
        </p>
        <Main isStandby={isStandby} />
      </div>
      <ActionDialog />
    </div>
  );
}

/** An operator who has the consoles of several machines open tells their tabs apart. */
function useTitle(): void {
  const name = node.value;
  useEffect(() => {
    document.title = name === null ? 'tote console' : `${name}: tote console`;
  }, [name]);
}

const Navigation = (): JSX.Element => (
  <nav aria-label="Views">
    {Object.entries(VIEWS)
      .filter(([view, [title]]) => title !== null && (view !== 'replication' || node.value !== null))
      .map(([view, [title]]) => (
        <a
          key={view}
          href={linkTo(view)}
          aria-current={(route.value[0] ?? FIRST) === view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
  </nav>
);

/** An id opens its view; any other text is taken for a part of a name. */
function SearchBox(): JSX.Element {
  const search = (event: Event): void => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('text') as HTMLInputElement;
    const text = input.value.trim();
    if (text !== '') location.hash = placeOf(text) ?? linkTo('search', text);
    input.value = '';
  };
  return (
    <search>
      <form onSubmit={search}>
        <input
          name="text"
          type="text"
          aria-label="Search"
          placeholder="Search acc_1, bet_1, BTC 5 min, a name"
          autocomplete="off"
          maxLength={100}
        />
      </form>
    </search>
  );
}

/** A new view begins at its heading, for the keyboard and for screen readers as for the eye. */
function Main({ isStandby }: Pick<SessionResource, 'isStandby'>): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const path = route.value.join('/');
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    notice.value = '';
    main.current?.focus();
    scrollTo(0, 0);
  }, [path]);
  const isAway = !isFresh.value && (live.value ?? standby.value) !== null;
  return (
    <>
      {isAway && (
        <p class="away" role="alert">
          The server has sent nothing for some seconds: all below is of before, and nothing can be done here.
          This page goes on as soon as it is back.
        </p>
      )}
      <main id="main" tabIndex={-1} ref={main} key={path} inert={isAway}>
        {isStandby ? <StandbyView /> : <View />}
      </main>
    </>
  );
}

function View(): JSX.Element {
  const [view = FIRST, id, inner] = route.value;
  const render = Object.hasOwn(VIEWS, view) ? VIEWS[view]?.[1] : undefined;
  return render?.(id, inner) ?? <h1>No such view</h1>;
}
