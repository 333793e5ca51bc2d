/**
 * Known changes in how far an asset's prices move: news at a known time, and restless hours and days of the week. Time
 * is weighed by them: a minute in which prices move twice as far as usual counts as four.
 */
import { ASSETS, type Asset, textAt } from '../../model/domain.js';
import type { NewsRule, Rules } from '../../model/rules.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1 January 1970 was a Thursday, and weeks begin on Monday. */
const THURSDAY = 3;

type Known = Pick<Rules, 'news' | 'profiles'>;

const endOf = ({ atMs, minutes }: NewsRule): number => atMs + minutes * MINUTE_MS;

const newsOf = ({ news }: Known, asset: number): NewsRule[] =>
  Object.values(news).filter(({ assets }) => assets.includes(textAt(ASSETS, asset)));

/** News without a factor suspends: nobody knows how far prices will move. */
export function isSuspended({ news }: Known, asset: number, nowMs: number, endMs: number): boolean {
  // For each order: hardly ever is there news at all, and no list is made to find that.
  for (const name in news) {
    const each = news[name];
    if (each === undefined || each.factor !== undefined) continue;
    if (each.atMs < endMs && nowMs < endOf(each) && each.assets.includes(textAt(ASSETS, asset))) return true;
  }
  return false;
}

/** The usual time in which prices would move as far as from `fromMs` to `untilMs`. */
export function usualMs(known: Known, asset: number, fromMs: number, untilMs: number): number {
  const name = textAt(ASSETS, asset);
  const news = newsOf(known, asset).filter((each) => each.atMs < untilMs && fromMs < endOf(each));
  if (news.length === 0 && known.profiles[name] === undefined) return untilMs - fromMs;
  const edges = news.flatMap((each) => [each.atMs, endOf(each)]);
  let sum = 0;
  for (let atMs = fromMs; atMs < untilMs; ) {
    const hourMs = (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
    const nextMs = Math.min(hourMs, untilMs, ...edges.filter((edge) => edge > atMs));
    sum += (nextMs - atMs) * factorAt(known, name, news, atMs) ** 2;
    atMs = nextMs;
  }
  return sum;
}

function factorAt({ profiles }: Known, asset: Asset, news: readonly NewsRule[], timeMs: number): number {
  const { hours = [], weekdays = [] } = profiles[asset] ?? {};
  const hour = Math.floor(timeMs / HOUR_MS) % 24;
  const weekday = (Math.floor(timeMs / DAY_MS) + THURSDAY) % 7;
  return news
    .filter((each) => each.atMs <= timeMs && timeMs < endOf(each))
    .reduce((product, { factor = 1 }) => product * factor, (hours[hour] ?? 1) * (weekdays[weekday] ?? 1));
}
