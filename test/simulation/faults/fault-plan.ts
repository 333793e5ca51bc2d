/**
 * The faults of a world and their times, planned before it begins. Each has its own random stream, so that one can be
 * left out and the others stay the same: so a failing schedule is minimised.
 */
import { Rng } from '../../support/reference/random/rng.js';
import { derivedSeed } from '../chance.js';

const WEIGHTS = [
  [5, 'kill'],
  [4, 'power loss'],
  [12, 'crash at a point'],
  [4, 'crash in recovery'],
  [3, 'disk error'],
  [0.5, 'disk error in recovery'],
  [2, 'slow disk'],
  [0.3, 'hung disk'],
  [2, 'space'],
  [2, 'clock step'],
  [3, 'bit flip'],
  [2, 'stop and start'],
  [0.5, 'new rules'],
  [4, 'gateway stopped'],
  [4, 'requests held'],
] as const;
export type FaultKind = (typeof WEIGHTS)[number][1];
export const FAULT_KINDS: readonly FaultKind[] = WEIGHTS.map(([, kind]) => kind);

export interface PlannedFault {
  readonly index: number;
  readonly atMs: number;
  readonly kind: FaultKind;
  readonly seed: number;
}

export function planFaults(seed: number, fromMs: number, toMs: number, everyMs: number): PlannedFault[] {
  const rng = new Rng(derivedSeed(seed, 100));
  const plan: PlannedFault[] = [];
  let atMs = fromMs;
  for (;;) {
    atMs += 1 + Math.floor(-Math.log(1 - rng.next()) * everyMs);
    if (atMs >= toMs) return plan;
    plan.push({
      index: plan.length,
      atMs,
      kind: rng.weighted<FaultKind>(WEIGHTS),
      seed: derivedSeed(seed, 1_000 + plan.length),
    });
  }
}
