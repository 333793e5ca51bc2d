/** Rules in words and units: `Fee on winnings` and `3 %` for `feeBps` and 300. */
import type { RuleValue } from '../../../../engine/model/rules.js';
import { count, FRAMES, marketName, timeText, usd } from './format.js';

const WORDS: Readonly<Record<string, string>> = {
  feeBps: 'fee on winnings',
  cutoffMs: 'bets close this long before the lock',
  slippageE2: 'tolerance of expectedPercent',
  lateOpenBettingMs: 'least time to bet in a round that opens late',
  openBetsMax: 'open bets of an account, at most',
  historyBetsMax: 'bets of an account kept in memory',
  settledRoundsMax: 'settled rounds of a market kept in memory',
  idempotencyTtlMs: 'an Idempotency-Key is kept for',
  idempotencyEntriesMax: 'Idempotency-Keys kept, at most',
  marketCents: 'loss in a day, a market',
  assetCents: 'loss in a day, an asset',
  allCents: 'loss in a day, all markets',
  activeKeysMax: 'active keys, at most',
  minStakeCents: 'smallest stake',
  maxStakeCents: 'largest stake',
  lockLeadMs: 'lock before the end of a round',
  maxPriceAgeMs: 'oldest price at a boundary',
  quoteAgeMs: 'oldest price to quote by',
  policy: 'how the house quotes',
  seedCents: 'seed of the house, each side',
  shadeE6: 'share moved for each seed owed more',
  clampE6: 'least distance of a share from 0 and 1',
};

interface Unit {
  readonly text: '$' | '%' | 'points' | 's' | '';
  /** So many of the rule's own unit are one of these. */
  readonly factor: number;
}

const UNITS: readonly (readonly [suffix: string, unit: Unit])[] = [
  ['Cents', { text: '$', factor: 100 }],
  ['Bps', { text: '%', factor: 100 }],
  ['E6', { text: '%', factor: 10_000 }],
  ['E2', { text: 'points', factor: 100 }],
  ['Ms', { text: 's', factor: 1_000 }],
];
export const unitOf = (name: string): Unit =>
  UNITS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? { text: '', factor: 1 };

/** Such as `GOLD: largest stake`. */
export function ruleWords(name: string): string {
  const inner = name.split('.').filter((part) => !['limits', 'tiers', 'lossLimits', 'house'].includes(part));
  const last = inner.pop() ?? '';
  const whose = inner
    .map((part) => FRAMES[part] ?? (part === '*' ? 'all markets' : marketName(part)))
    .join(' ');
  const words = WORDS[last] ?? last;
  return whose === '' ? words.charAt(0).toUpperCase() + words.slice(1) : `${whose}: ${words}`;
}

export function ruleText(name: string, value: RuleValue['value'] | null): string {
  if (value === null) return 'none';
  if (name.endsWith('.at')) return timeText(String(value));
  if (typeof value !== 'number') return Array.isArray(value) ? value.join(', ') : String(value);
  const { text, factor } = unitOf(name);
  if (text === '$') return usd(value).replace(/\.00$/, '');
  const minutes = value / factor / 60;
  if (text === 's' && minutes >= 2 && Number.isInteger(minutes)) return `${count(minutes)} min`;
  // A millionth is 0.0001 %.
  const figure = (value / factor).toLocaleString('en-US', { maximumFractionDigits: 4 });
  return `${figure} ${text}`.trim();
}
