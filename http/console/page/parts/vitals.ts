/**
 * The server's figures of the last hour: all of them when a view is opened, and then every five seconds the new ones.
 */
import { useEffect, useState } from 'preact/hooks';
import type { VitalName } from '../../../metrics/vitals.js';
import type { VitalsResource } from '../../../operator/figures/vitals.js';
import { operator } from '../state/api.js';

const ASK_EVERY_MS = 5_000;
/** An hour. */
const SAMPLES_MAX = 720;

export interface VitalsNow {
  /** Seconds since 1970. */
  readonly time: readonly number[];
  /** null where there was no figure. */
  readonly column: (name: VitalName) => readonly (number | null)[];
}

export function useVitals(): { readonly vitals: VitalsNow | null; readonly error: string } {
  const [kept, setKept] = useState<VitalsResource | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let newest: VitalsResource | null = null;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const answer = await operator<VitalsResource>('GET', `/vitals?since=${newest?.time.at(-1) ?? 0}`);
      if (isOver) return;
      setError(answer.ok ? '' : answer.error);
      if (!answer.ok) return;
      newest = newest === null ? answer.data : joined(newest, answer.data);
      setKept(newest);
    };
    void ask();
    const timer = setInterval(() => document.visibilityState === 'visible' && void ask(), ASK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, []);
  const column: VitalsNow['column'] = (name) => kept?.columns[name] ?? [];
  return { vitals: kept === null ? null : { time: kept.time, column }, error };
}

function joined(before: VitalsResource, { time, columns, ...more }: VitalsResource): VitalsResource {
  const join = <T>(old: readonly T[], added: readonly T[] = []): T[] =>
    [...old, ...added].slice(-SAMPLES_MAX);
  const all = Object.entries(before.columns).map(([name, column]) => [name, join(column, columns[name])]);
  return { ...more, time: join(before.time, time), columns: Object.fromEntries(all) };
}
