/** The frame around all views: who is logged in, where one can go, and what holds for the whole server. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionResource } from '../session-resource.js';
import { Condition, StandbyCondition } from './condition.js';
import { ActionDialog } from './parts/action-dialog.js';
import { notice } from './state/action.js';
import { logOut } from './state/api.js';
import { node, stopWatching, watch } from './state/live.js';
import { linkTo, route } from './state/route.js';
import { session } from './state/session.js';
import { AccountView } from './views/account.js';
import { AccountsView } from './views/accounts.js';
import { AuditView } from './views/audit.js';
import { HouseView } from './views/house.js';
import { LoginView } from './views/login.js';
import { MarketView } from './views/market.js';
import { MarketsView } from './views/markets.js';
import { ReplicationView } from './views/replication.js';
import { RoundView } from './views/rounds.js';
import { RulesView } from './views/rules.js';
import { StandbyView } from './views/standby.js';
import { SystemView } from './views/system.js';

const VIEWS: readonly (readonly [name: string, title: string])[] = [
  ['markets', 'Markets'],
  ['house', 'House'],
  ['accounts', 'Accounts'],
  ['rules', 'Rules'],
  ['audit', 'Audit'],
  ['system', 'System'],
];
/** Only where there is something to see. */
const REPLICATION: (typeof VIEWS)[number] = ['replication', 'Replication'];

export function App(): JSX.Element {
  const who = session.value;
  if (who === undefined) return <p class="quiet center">Loading …</p>;
  return who === null ? <LoginView /> : <Console {...who} />;
}

function Console({ name, role, isStandby }: SessionResource): JSX.Element {
  useEffect(() => {
    watch();
    return stopWatching;
  }, []);
  useTitle();
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header>
        <a class="home" href={linkTo('markets')}>
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
      {isStandby ? <StandbyCondition /> : <Condition />}
      <p class="notice" role="status">
        {notice.value}
      </p>
      <Main isStandby={isStandby} />
      <ActionDialog />
    </>
  );
}

/** Whoever has the consoles of several machines open tells their tabs apart. */
function useTitle(): void {
  const name = node.value;
  useEffect(() => {
    document.title = name === null ? 'tote console' : `${name}: tote console`;
  }, [name]);
}

function Navigation(): JSX.Element {
  const views = node.value === null ? VIEWS : [...VIEWS, REPLICATION];
  return (
    <nav aria-label="Views">
      {views.map(([view, title]) => (
        <a key={view} href={linkTo(view)} aria-current={isAt(view) ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

const isAt = (view: string): boolean => (route.value[0] ?? 'markets') === view;

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
  return (
    <main id="main" tabIndex={-1} ref={main} key={path}>
      {isStandby ? <StandbyView /> : <View />}
    </main>
  );
}

function View(): JSX.Element {
  const [view = 'markets', id, round] = route.value;
  switch (view) {
    case 'markets':
      if (id === undefined) return <MarketsView />;
      return round === undefined ? <MarketView id={id} /> : <RoundView market={id} id={round} />;
    case 'accounts':
      return id === undefined ? <AccountsView /> : <AccountView id={id} />;
    case 'house':
      return <HouseView />;
    case 'audit':
      return <AuditView />;
    case 'rules':
      return <RulesView />;
    case 'system':
      return <SystemView />;
    case 'replication':
      return <ReplicationView />;
    default:
      return (
        <>
          <h1>No such view</h1>
          <p>
            <a href={linkTo('markets')}>Markets</a>
          </p>
        </>
      );
  }
}
