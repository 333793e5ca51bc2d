/** A list that comes in pages: the first when the view is opened, each further one when it is asked for. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { operator } from '../state/api.js';

export interface Paged<T> {
  /** null until the first page is there. */
  readonly items: readonly T[] | null;
  readonly error: string;
  /** Asks for the next page; null where there is none. */
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
