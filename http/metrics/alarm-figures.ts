/** An alarm, and the figures behind alarms, taken from readings and vitals. */
import type { Reading } from './readings.js';
import type { VitalName, Vitals } from './vitals.js';

export interface Alarm {
  readonly name: string;
  /** Critical: bettors cannot bet, or soon cannot. */
  readonly severity: 'critical' | 'warning';
  /** The trouble in a sentence. */
  readonly what: string;
  /** With `DATA_DIR` in commands, which a server replaces by its own. */
  readonly advice: string;
  /** From the samples and in PromQL; null where the figure is not to be had. */
  readonly figure: (reading: Reading, vitals: Pick<Vitals, 'latest' | 'sum'>) => number | null;
  readonly promql: string;
  readonly unit: '' | 's' | 'days' | 'bytes' | 'commands' | 'share';
  /** The alarm is raised above, or below, this for so long. */
  readonly above?: number;
  readonly below?: number;
  readonly forSeconds: number;
}

type GaugeName = Parameters<Reading['gauges']['get']>[0];
export const gauge =
  (name: GaugeName): Alarm['figure'] =>
  ({ gauges }) =>
    gauges.get(name);
/** Below 0 until the time of the gauge. */
export const secondsSince =
  (name: GaugeName): Alarm['figure'] =>
  ({ gauges, timeMs }) => {
    const atMs = gauges.get(name);
    return atMs > 0 ? (timeMs - atMs) / 1_000 : null;
  };
export const level =
  (isAlarming: (level: number) => boolean): Alarm['figure'] =>
  ({ gauges }) =>
    Number(isAlarming(gauges.get('spaceLevel')));
/** A vital in the unit of a metric, of which it has `per`. */
export const vital =
  (name: VitalName, per: number): Alarm['figure'] =>
  (_reading, vitals) => {
    const value = vitals.latest(name);
    return value === null ? null : value / per;
  };
export const quantileOf = (metric: string, share: number, labels = ''): string =>
  `histogram_quantile(${share}, sum by (instance, le) (rate(${metric}_bucket${labels}[1m])))`;
