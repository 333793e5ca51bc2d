/** The frame around all views: the navigation, the state of the whole server, and the search box. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveMessage, StandbyMessage } from '../live-message.js';
import type { SessionResource } from '../sessions.js';
import { switchTrading } from './actions/control.js';
import { Act, ActionDialog, notice } from './parts/action.js';
import { Badge, Loading } from './parts/basics.js';
import { Query, type Shows } from './parts/loaded.js';
import { logOut, session } from './state/api.js';
import { placeOf, timeText } from './state/format.js';
import { closedBecause, isFresh, isOutdated, live, news, node, watch } from './state/live.js';
import { linkTo, route } from './state/route.js';
import { AccountView, KeyView } from './views/account.js';
import { AccountsView } from './views/accounts.js';
import { AuditView } from './views/audit.js';
import { BetView } from './views/bet.js';
import { HouseView } from './views/house.js';
import { LoginView } from './views/login.js';
import { StandbyView } from './views/machines.js';
import { MarketView, RoundView } from './views/market.js';
import { MarketsView } from './views/markets.js';
import { OverviewView } from './views/overview.js';
import { RulesView } from './views/rules.js';
import { SystemView } from './views/system.js';

type Render = (now: LiveMessage, id?: string) => JSX.Element;

/** The view of one resource of this list. */
const one =
  <T,>(list: string, One: (props: Shows<T>) => JSX.Element): Render =>
  (_, id = '') => (
    <>
      <h1>{id}</h1>
      <Query<T> path={`/${list}/${encodeURIComponent(id)}`} everyMs={5_000}>
        {(of, reload) => <One of={of} reload={reload} />}
      </Query>
    </>
  );
const account = one('accounts', AccountView);

/** By the first part of the address. Views with a title stand in the navigation. */
const VIEWS: Readonly<Record<string, readonly [title: string | null, render: Render]>> = {
  overview: ['Overview', (now) => <OverviewView {...now} />],
  markets: [
    'Markets',
    (now, id) => (id === undefined ? <MarketsView {...now} /> : <MarketView now={now} id={id} />),
  ],
  house: ['House', (now) => <HouseView {...now} />],
  accounts: ['Accounts', (now, id) => (id === undefined ? <AccountsView name="" /> : account(now, id))],
  rules: ['Rules', () => <RulesView />],
  audit: ['Audit', () => <AuditView />],
  system: ['System', (now) => <SystemView {...now} />],
  rounds: [null, (_, id = '') => <RoundView id={id} />],
  bets: [null, one('bets', BetView)],
  keys: [null, one('keys', KeyView)],
  search: [null, (_, text = '') => <AccountsView name={text} />],
};
const FIRST = 'overview';

export function App(): JSX.Element {
  const who = session.value;
  if (who === undefined) return <Loading />;
  return who === null ? <LoginView /> : <Console {...who} />;
}

function Console({ name, role }: SessionResource): JSX.Element {
  useEffect(watch, []);
  return (
    <>
      <button type="button" class="hidden" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <div class="frame">
        <header>
          <a class="home" href={linkTo(FIRST)}>
            tote
          </a>
          {live.value !== null && <Navigation />}
          <p class="who">
            <span>
              {name} <span class="quiet">({role})</span>
            </span>
            <button type="button" onClick={() => void logOut().then((error) => (notice.value = error))}>
              Log out
            </button>
          </p>
        </header>
        <div class="page">
          <div class="bar">
            <Condition />
            {live.value !== null && <SearchBox />}
          </div>
          {isOutdated.value && (
            <p class="notice bad" role="alert">
              The server has another version of this page: reload it.
            </p>
          )}
          <p class="notice good" role="status">
            {notice.value}
          </p>
          <Main />
        </div>
        <ActionDialog />
      </div>
    </>
  );
}

const Navigation = (): JSX.Element => (
  <nav aria-label="Views">
    {Object.entries(VIEWS).map(([view, [title]]) => {
      const isShown = (route.value[0] ?? FIRST) === view;
      return (
        title !== null && (
          <a key={view} href={linkTo(view)} aria-current={isShown ? 'page' : undefined}>
            {title}
          </a>
        )
      );
    })}
  </nav>
);

/** If a server has sent nothing for some seconds only that is said: its last figures may hold no more. */
function Condition(): JSX.Element {
  const message = news.value;
  if (message === null) return <p class="condition quiet">{closedBecause.value || 'Connecting …'}</p>;
  const now = live.value;
  return (
    <div class="condition">
      {now?.arePricesSimulated && <Badge tone="bad">prices are simulated</Badge>}
      {!isFresh.value && <Badge tone="bad">{closedBecause.value || 'no news from the server'}</Badge>}
      {isFresh.value && now !== null && <Badges {...now} />}
      {isFresh.value && now === null && <Badge>{node.value} is a standby</Badge>}
      <span class="quiet">
        {!isFresh.value && 'since '}
        {timeText(message.timeMs)} UTC{now?.isClockManual && ' (manual clock)'}
      </span>
      {now !== null && <Act action={switchTrading(now)} />}
    </div>
  );
}

/** Whether orders are taken, how many alarms there are, and who leads. */
function Badges({ ordersRefused, alarms, replication }: LiveMessage): JSX.Element {
  const isLapsed = replication?.lease === 'lapsed';
  const orders = isLapsed || replication?.trouble ? 'orders wait' : 'orders are taken';
  const isCritical = alarms.some(({ severity }) => severity === 'critical');
  return (
    <>
      <Badge tone={ordersRefused !== null ? 'bad' : orders === 'orders wait' ? 'warn' : 'good'}>
        {ordersRefused !== null ? `orders are refused: ${ordersRefused}` : orders}
      </Badge>
      {alarms.length > 0 && (
        <a href={linkTo(FIRST)}>
          <Badge tone={isCritical ? 'bad' : 'warn'}>
            {alarms.length} {alarms.length === 1 ? 'alarm' : 'alarms'}
          </Badge>
        </a>
      )}
      {replication !== null && (
        <Badge tone={isLapsed ? 'bad' : 'good'}>
          {isLapsed ? `the lease of ${replication.node} has lapsed` : `${replication.node} leads`}
        </Badge>
      )}
    </>
  );
}

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
          size={40}
        />
      </form>
    </search>
  );
}

/** A new view begins at its heading, for the keyboard and for screen readers as for the eye. */
function Main(): JSX.Element {
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
  const message = news.value;
  const isAway = !isFresh.value && message !== null;
  return (
    <>
      {isAway && (
        <p class="notice bad" role="alert">
          The server has sent nothing for some seconds: all below is of before, and nothing can be done here.
          This page goes on as soon as it is back.
        </p>
      )}
      <main id="main" tabIndex={-1} ref={main} key={path} inert={isAway}>
        {viewOf(message)}
      </main>
    </>
  );
}

function viewOf(message: LiveMessage | StandbyMessage | null): JSX.Element {
  if (message === null) return <Loading />;
  if (!('markets' in message)) return <StandbyView {...message} />;
  const [view = FIRST, id] = route.value;
  const render = Object.hasOwn(VIEWS, view) ? VIEWS[view]?.[1] : undefined;
  return render?.(message, id) ?? <h1>No such view</h1>;
}
