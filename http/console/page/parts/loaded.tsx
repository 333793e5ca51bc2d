/** Data that a view asks for: once when it is opened, and again after a change. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { operator } from '../state/api.js';
import { isFresh, news } from '../state/live.js';
import { Loading } from './basics.js';

export interface Loaded<T> {
  /** null until they are there. */
  readonly data: T | null;
  readonly nextCursor: string | null;
  readonly error: string;
  readonly reload: () => void;
}

/**
 * `everyMs` asks again and again while the view is open and the page is in sight; 0 does not. The old data stay while
 * the server is away, and are asked for at once when it is back.
 */
export function useLoaded<T>(path: string, everyMs = 0): Loaded<T> {
  const [kept, setKept] = useState({ path, data: null as T | null, nextCursor: null as string | null });
  const [error, setError] = useState('');
  const [turn, setTurn] = useState(0);
  const isAsking = useRef(false);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isAway = news.value !== null && !isFresh.value;
  useEffect(() => {
    if (isAway) return;
    let isOver = false;
    isAsking.current = true;
    void operator<T>('GET', path).then((answer) => {
      if (isOver) return;
      isAsking.current = false;
      setError(answer.ok ? '' : answer.error);
      if (answer.ok) setKept({ path, data: answer.data, nextCursor: answer.nextCursor });
    });
    return () => {
      isOver = true;
      isAsking.current = false;
    };
  }, [path, turn, isAway]);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setInterval(() => {
      // Asked for anew, an answer that takes longer than that would never be shown.
      if (document.visibilityState === 'visible' && !isAsking.current) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  const { data, nextCursor } = kept.path === path ? kept : { data: null, nextCursor: null };
  return { data, nextCursor, error, reload };
}

/** The props of what shows them. */
export interface Shows<T> {
  readonly of: T;
  readonly reload: () => void;
}

interface QueryProps<T> {
  readonly path: string;
  readonly everyMs?: number;
  readonly children: (data: T, reload: () => void) => JSX.Element;
}

export function Query<T>({ path, everyMs, children }: QueryProps<T>): JSX.Element {
  const { data, error, reload } = useLoaded<T>(path, everyMs);
  if (data === null) return <Loading error={error} />;
  return (
    <>
      {error !== '' && <Loading error={error} />}
      {children(data, reload)}
    </>
  );
}
