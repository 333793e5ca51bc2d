/** The lines of the speed table that come from CPU times by thread. */
import { capacityOf, rateOf, roundRatio, servingUs, threadUsOf } from '../../load/by-thread.js';
import { figure } from '../../report/format.js';
import type { Measured } from '../../report/goals.js';
import { median } from '../../report/section.js';
import type { Placement } from './threads.js';

const CORES = 8;

export function threadGoals({ rows, redisRates }: Placement): Measured[] {
  const { orders, post, commit, market, get, oneOrder, oneCommit } = rows;
  const us = threadUsOf(orders);
  const capacity = capacityOf(us, CORES);
  const redis = redisRates === null ? Number.NaN : median(redisRates);
  const ofRedis = orders.rounds.map(
    ({ ratePerSecond }, at) => ratePerSecond / (redisRates?.[at] ?? Number.NaN),
  );
  const goals: Measured[] = [
    {
      goal: 'engineCpuToBare',
      value: roundRatio(orders, post, ({ threadUs }) => threadUs.main),
      beside: `${figure(us.main)} of ${figure(threadUsOf(post).main)} us`,
    },
    {
      goal: 'orderCpuToGroupCommit',
      value: roundRatio(orders, commit, ({ threadUs }) => servingUs(threadUs)),
      beside: `${figure(servingUs(us))} of ${figure(servingUs(threadUsOf(commit)))} us`,
    },
    {
      goal: 'marketCpuToBare',
      value: roundRatio(
        market,
        get,
        ({ threadUs }) => threadUs.gateway,
        ({ threadUs }) => threadUs.main,
      ),
      beside: `engine's thread ${figure(threadUsOf(market).main)} us`,
    },
    {
      goal: 'freeOrdersToBare',
      value: roundRatio(orders, post, ({ ratePerSecond }) => ratePerSecond),
      beside: `${figure(rateOf(orders))} of ${figure(rateOf(post))} a second`,
    },
    {
      goal: 'firstOrderLatency',
      value: roundRatio(oneOrder, oneCommit, ({ p50Us }) => p50Us),
      beside: `p50 ${figure(median(oneOrder.rounds.map(({ p50Us }) => p50Us)))} us`,
    },
    {
      goal: 'shadowCpuToEngine',
      value: median(orders.rounds.map(({ threadUs }) => threadUs.shadow / threadUs.main)),
      beside: `${figure(us.shadow)} us an order`,
    },
  ];
  const ofRedisGoals: Measured[] = [
    {
      goal: 'freeOrdersToRedis',
      value: median(ofRedis),
      beside: `Redis ${figure(redis)} a second`,
    },
    {
      goal: 'eightCoresToRedis',
      value: capacity.ratePerSecond / redis,
      beside: `computed, ${figure(Math.round(capacity.ratePerSecond))} a second, bound by ${capacity.bound}`,
    },
  ];
  return [...goals, ...(redisRates === null ? [] : ofRedisGoals)].filter(({ value }) => !Number.isNaN(value));
}
