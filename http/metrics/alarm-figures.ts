/** Figures that alarms are of, taken from readings and vitals. */
import type { Alarm } from './alarms.js';
import type { Reading } from './readings.js';
import type { VitalName } from './vitals.js';

type GaugeName = Parameters<Reading['gauges']['get']>[0];
export const gauge =
  (name: GaugeName): Alarm['figure'] =>
  ({ gauges }) =>
    gauges.get(name);
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
