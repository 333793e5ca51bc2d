/** Clients use the network, know the published rules, and share the accounts that operators create. */
import type { Scope } from '../../../engine/model/domain.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { WorldConfig } from '../config.js';
import type { Coverage } from '../coverage.js';
import type { Network } from '../machine/network.js';
import type { Scheduler } from '../machine/scheduler.js';

export interface KnownKey {
  readonly id: string;
  readonly secret: string;
  readonly scopes: readonly Scope[];
  /** The operator has switched it off, or it has expired. */
  isOff: boolean;
}

export interface Purse {
  readonly account: string;
  readonly keys: KnownKey[];
}

export interface ClientWorld {
  readonly config: WorldConfig;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly coverage: Coverage;
  readonly purses: Purse[];
  rules(): Rules;
  /** Everybody is well-behaved from now on. */
  readonly isCalm: boolean;
}

/** Mostly one that may do it, as far as its owner knows. */
export function chosenKey({ keys }: Purse, scope: Scope, rng: Rng): KnownKey {
  const able = keys.filter(({ scopes, isOff }) => !isOff && scopes.includes(scope));
  return rng.pick(able.length > 0 && rng.chance(0.95) ? able : keys);
}

/** At least 1 ms, in whole milliseconds. */
export function soonMs(rng: Rng, meanMs: number): number {
  return 1 + Math.floor(-Math.log(1 - rng.next()) * meanMs);
}

export function keepDoing(world: ClientWorld, rng: Rng, meanMs: number, act: () => void): void {
  const again = (): void => {
    act();
    world.scheduler.after(soonMs(rng, meanMs), again);
  };
  world.scheduler.after(soonMs(rng, meanMs), again);
}
