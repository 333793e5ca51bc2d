/**
 * What operators and hosts decide about prices. The engine's state does not depend on it: it is journaled so that whoever
 * asks later why a round had its price finds who decided what.
 */
import { assert } from '../base/assert.js';
import type { ConfirmPrice, SwitchFeed } from '../model/commands.js';
import { ASSETS } from '../model/domain.js';
import type { Effect } from '../state/state.js';

export function switchFeed({ timeMs, asset, from, to, reason }: SwitchFeed): Effect {
  assertAsset(asset);
  assert(from !== '' && to !== '' && from !== to, 'a switch is from one feed to another');
  return [{ type: 'feedSwitched', timeMs, asset, from, to, reason }];
}

export function confirmPrice({ timeMs, asset, price, reason }: ConfirmPrice): Effect {
  assertAsset(asset);
  assert(Number.isFinite(price) && price > 0, 'a price that is confirmed is positive');
  return [{ type: 'priceConfirmed', timeMs, asset, price, reason }];
}

function assertAsset(asset: number): void {
  assert(ASSETS[asset] !== undefined, 'a price is of a known asset');
}
