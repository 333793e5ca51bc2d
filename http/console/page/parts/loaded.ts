/** Data that a view asks for: once when it is opened, and again where something has been changed. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Answer, operator } from '../state/api.js';

export interface Loaded<T> {
  /** null until they are there. */
  readonly data: T | null;
  readonly error: string;
  readonly reload: () => void;
}

/** `everyMs` asks again and again while the view is open and the page is in sight; 0 does not. */
export function useLoaded<T>(path: string, everyMs = 0): Loaded<T> {
  const [state, setState] = useState<{ readonly path: string; readonly answer: Answer<T> } | null>(null);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    let isOver = false;
    void operator<T>('GET', path).then((answer) => {
      if (!isOver) setState({ path, answer });
    });
    return () => {
      isOver = true;
    };
  }, [path, turn]);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  const answer = state !== null && state.path === path ? state.answer : null;
  return {
    data: answer?.ok === true ? answer.data : null,
    error: answer?.ok === false ? answer.error : '',
    reload,
  };
}
