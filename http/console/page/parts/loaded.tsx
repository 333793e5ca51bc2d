/** Data that a view asks for: once when it is opened, and again after a change. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { operator } from '../state/api.js';
import { isFresh, live } from '../state/live.js';
import { Loading } from './basics.js';

export interface Loaded<T> {
  /** null until they are there. */
  readonly data: T | null;
  readonly error: string;
  readonly reload: () => void;
}

/**
 * `everyMs` asks again and again while the view is open and the page is in sight; 0 does not. The old data stay while
 * the server is away, and are asked for at once when it is back.
 */
export function useLoaded<T>(path: string, everyMs = 0): Loaded<T> {
  const [kept, setKept] = useState<{ readonly path: string; readonly data: T } | null>(null);
  const [error, setError] = useState('');
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isAway = live.value !== null && !isFresh.value;
  useEffect(() => {
    if (isAway) return;
    let isOver = false;
    void operator<T>('GET', path).then((answer) => {
      if (isOver) return;
      setError(answer.ok ? '' : answer.error);
      if (answer.ok) setKept({ path, data: answer.data });
    });
    return () => {
      isOver = true;
    };
  }, [path, turn, isAway]);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { data: kept?.path === path ? kept.data : null, error, reload };
}

interface AskedProps<T> {
  readonly path: string;
  readonly everyMs?: number;
  readonly children: (data: T, reload: () => void) => JSX.Element;
}

export function Asked<T>({ path, everyMs, children }: AskedProps<T>): JSX.Element {
  const { data, error, reload } = useLoaded<T>(path, everyMs);
  return data === null ? <Loading error={error} /> : children(data, reload);
}

export interface Paged<T> {
  /** null until the first page is there. */
  readonly items: readonly T[] | null;
  readonly error: string;
  /** null on the last page. */
  readonly more: (() => void) | null;
  readonly reload: () => void;
}

interface Pages<T> {
  readonly path: string;
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** `path` has its query, which is the same for all pages. */
export function usePaged<T>(path: string): Paged<T> {
  const [pages, setPages] = useState<Pages<T> | null>(null);
  const [error, setError] = useState('');
  const [turn, setTurn] = useState(0);
  const ask = useCallback(
    async (before: Pages<T> | null, isWanted: () => boolean): Promise<void> => {
      const cursor = before?.nextCursor ?? null;
      const join = path.includes('?') ? '&' : '?';
      const page = cursor === null ? '' : `${join}cursor=${encodeURIComponent(cursor)}`;
      const answer = await operator<readonly T[]>('GET', path + page);
      if (!isWanted()) return;
      setError(answer.ok ? '' : answer.error);
      if (!answer.ok) return;
      const { data, nextCursor } = answer;
      const grown = { path, items: [...(before?.items ?? []), ...data], nextCursor };
      // Meanwhile another list may have been asked for, or this one anew.
      setPages((now) => (before === null || now === before ? grown : now));
    },
    [path],
  );
  useEffect(() => {
    let isWanted = true;
    void ask(null, () => isWanted);
    return () => {
      isWanted = false;
    };
  }, [ask, turn]);
  const shown = pages?.path === path ? pages : null;
  return {
    items: shown?.items ?? null,
    error,
    more: shown !== null && shown.nextCursor !== null ? () => void ask(shown, () => true) : null,
    reload: () => setTurn((before) => before + 1),
  };
}
