/** Settings that affect outcomes, and are therefore journaled. */
import { assert } from '../base/assert.js';
import type {
  Configure,
  ConfirmPrice,
  DeclareSetup,
  MoveClock,
  SetCalendar,
  SetTrading,
  SuspendMarket,
} from '../model/commands.js';
import { ASSET_CLASSES, ASSETS, marketOf, TIERS, WHOLE_E6 } from '../model/domain.js';
import type { EngineEvent } from '../model/events.js';
import { LOSS_SCOPES } from '../model/loss-limits.js';
import { type HouseRules, type MarketRules, RULES_VERSION, type Rules } from '../model/rules.js';
import type { Setup } from '../model/setup.js';
import { type Effect, reject, type State } from '../state/state.js';
import { liftLimits, suspendAtLimit } from './loss-limits.js';

/** New rules apply to rounds opened from now on; limits of tiers, memory and losses apply at once. */
export function configure(state: State, command: Configure): Effect {
  const { rules, rulesVersion, timeMs } = command;
  if (state.rules !== null) state.idempotency.forgetExpired(timeMs, state.rules.idempotencyTtlMs);
  setRulesInForce(state, rules, rulesVersion);
  const events: EngineEvent[] = [{ type: 'configured', timeMs, market: -1 }];
  for (const scope of LOSS_SCOPES.keys()) suspendAtLimit(state, scope, timeMs, events);
  return events;
}

export function setRulesInForce(state: State, rules: Rules, rulesVersion: number): void {
  assert(rulesVersion <= RULES_VERSION, `rules version ${rulesVersion} is newer than this program`);
  assertSound(rules);
  const byMarket = new Map<number, MarketRules>(
    rules.markets.map((entry) => [marketOf(entry.marketId), entry]),
  );
  state.rules = rules;
  state.rulesVersion = rulesVersion;
  state.markets.markets.forEach((market, index) => {
    market.rules = byMarket.get(index) ?? null;
  });
}

/** The engine's arithmetic depends on these. The configuration was validated, with messages for people, before. */
function assertSound(rules: Rules): void {
  assert(rules.feeBps >= 0 && rules.feeBps < 10_000, 'the fee is 0 to 9,999 basis points');
  assert(rules.tiers.length === TIERS.length, 'there are rules for every tier');
  assert(rules.historyBetsMax > 0 && rules.openBetsMax > 0, 'accounts keep at least one bet');
  for (const limit of Object.values(rules.lossLimits)) assert(limit > 0, 'a loss limit is above 0');
  for (const { minutes, factor = 1 } of Object.values(rules.news))
    assert(minutes > 0 && factor > 0, 'news takes time, and prices move in it');
  for (const market of rules.markets) {
    assert(marketOf(market.marketId) >= 0, `market ${market.marketId} exists`);
    assertQuotable(market.marketId, market.house, rules.feeBps);
    assert(market.minStakeCents >= 1, `market ${market.marketId} takes stakes of at least one cent`);
  }
}

function assertQuotable(
  marketId: string,
  { policy, seedCents, shadeE6, clampE6 }: HouseRules,
  feeBps: number,
): void {
  assert(seedCents >= 1, `market ${marketId} is seeded with at least one cent a side`);
  if (policy === 'fixed') return;
  assert(
    Number.isInteger(shadeE6) && shadeE6 >= 0 && shadeE6 <= WHOLE_E6,
    `the shade of ${marketId} is 0 to 1`,
  );
  assert(
    Number.isInteger(clampE6) && clampE6 >= 0 && clampE6 <= feeBps * 100,
    `the clamp of ${marketId} is at most the fee`,
  );
}

export function declareSetup(state: State, { timeMs, feed, clock, rulesFrom }: DeclareSetup): Effect {
  setSetup(state, { feed, clock, rulesFrom });
  return [{ type: 'setupDeclared', timeMs, feed, clock, rulesFrom }];
}

export function setSetup(state: State, setup: Setup): void {
  assert(setup.feed !== '', 'a feed has a name');
  assert(setup.clock === 'system' || setup.clock === 'manual', 'the clock is system or manual');
  assert(setup.rulesFrom === 'defaults' || setup.rulesFrom === 'file', 'rules are from defaults or a file');
  state.setup = setup;
}

export function setCalendar(state: State, command: SetCalendar): Effect {
  state.sessions[ASSET_CLASSES.indexOf(command.assetClass)] = command.sessions;
  return [{ type: 'calendarChanged', timeMs: command.timeMs, market: -1 }];
}

export function setTrading(state: State, command: SetTrading): Effect {
  state.trading = { enabled: command.enabled, reason: command.reason };
  return [{ type: 'tradingChanged', timeMs: command.timeMs, market: -1 }];
}

export function suspendMarket(state: State, command: SuspendMarket): Effect {
  const market = command.market < 0 ? null : state.markets.market(command.market);
  if (market === null || market.rules === null)
    return reject('market_not_found', 'no active market has this id');
  market.suspendedSeq = command.suspended ? state.nextSeq : 0;
  if (!command.suspended) liftLimits(state, command.market, command.timeMs);
  return [{ type: 'marketSuspended', timeMs: command.timeMs, market: command.market }];
}

export function moveClock(state: State, { timeMs }: MoveClock): Effect {
  if (timeMs === state.timeMs) return reject('invalid_request', 'the clock stands there already');
  return [{ type: 'clockMoved', timeMs, market: -1 }];
}

/** On record, for whoever asks later why a round had its price; no state depends on it. */
export function confirmPrice({ timeMs, asset, price, reason }: ConfirmPrice): Effect {
  assert(ASSETS[asset] !== undefined, 'a price is of a known asset');
  assert(Number.isFinite(price) && price > 0, 'a price that is confirmed is positive');
  return [{ type: 'priceConfirmed', timeMs, asset, price, reason }];
}
