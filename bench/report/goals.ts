/** The speed goals of the server, and a measured figure of one. */

export interface Goal {
  readonly what: string;
  /** `times at most` is a ratio of costs, `times` one of rates. */
  readonly unit: 'times' | 'times at most' | '/s' | 'ms' | 'bytes';
  /** A maximum for costs, a minimum for rates. */
  readonly must: number;
  readonly aim: number;
  readonly section: string;
}

const ORDERS = 'durable POST /v1/orders';

export const GOALS = {
  markets: {
    what: 'GET /v1/markets / a bare handler, same bytes',
    ...{ unit: 'times', must: 0.85, aim: 0.95, section: 'markets' },
  },
  orderCpu256: {
    what: 'CPU of an order, all threads / of a bare POST, 256 connections',
    ...{ unit: 'times at most', must: 2.8, aim: 2.2, section: 'threads' },
  },
  orderCpu64: {
    what: 'the same, 64 connections',
    ...{ unit: 'times at most', must: 3.6, aim: 3, section: 'threads' },
  },
  gatewayCpu: {
    what: "a gateway's CPU of an order / of a bare POST",
    ...{ unit: 'times at most', must: 1.6, aim: 1.3, section: 'threads' },
  },
  engineCpu: {
    what: "the engine's thread behind one gateway / a bare POST",
    ...{ unit: 'times at most', must: 0.3, aim: 0.18, section: 'threads' },
  },
  streamOrderCpu: {
    what: "a gateway's CPU of an order over a stream / over HTTP",
    ...{ unit: 'times at most', must: 0.6, aim: 0.4, section: 'stream' },
  },
  marketCpuToBare: {
    what: 'CPU of GET /v1/markets/{id} / of a bare GET, same bytes',
    ...{ unit: 'times at most', must: 1.15, aim: 1.05, section: 'markets' },
  },
  ordersToBare256: {
    what: `${ORDERS} / bare POST, 256 connections`,
    ...{ unit: 'times', must: 0.55, aim: 0.75, section: 'threads' },
  },
  ordersToBare64: {
    what: 'the same, 64 connections',
    ...{ unit: 'times', must: 0.4, aim: 0.55, section: 'threads' },
  },
  ordersToRedis256: {
    what: `${ORDERS} / Redis SET, fsync always, 256 connections`,
    ...{ unit: 'times', must: 0.65, aim: 1, section: 'threads' },
  },
  ordersToRedis64: {
    what: 'the same, 64 connections',
    ...{ unit: 'times', must: 0.65, aim: 0.8, section: 'threads' },
  },
  firstOrderLatency: {
    what: 'p50 of orders at 1 connection / of a bare POST with group commit',
    ...{ unit: 'times at most', must: 1.3, aim: 1.1, section: 'threads' },
  },
  shadowCpu: {
    what: "the shadow's CPU of an order / the engine's thread's behind one gateway",
    ...{ unit: 'times at most', must: 2, aim: 1, section: 'threads' },
  },
  orderTailToGroupCommit: {
    what: 'p99 of orders at half load, settlements running / of a bare POST with group commit',
    ...{ unit: 'times at most', must: 2.5, aim: 1.5, section: 'minute' },
  },
  engineTurn: {
    what: "longest delay of the engine's thread, 100,000 bets settling",
    ...{ unit: 'ms', must: 10, aim: 3, section: 'herd' },
  },
  takeover: {
    what: 'without service after SIGKILL of a leader',
    ...{ unit: 'ms', must: 6_000, aim: 4_000, section: 'replication' },
  },
  plannedSwitch: {
    what: 'without service while a leader hands over',
    ...{ unit: 'ms', must: 1_000, aim: 200, section: 'replication' },
  },
  replay: {
    what: 'replay from the journal, commands',
    ...{ unit: '/s', must: 1_000_000, aim: 2_000_000, section: 'replay' },
  },
  orderBytes: {
    what: 'memory of an acknowledged order, shadow included',
    ...{ unit: 'bytes', must: 465, aim: 350, section: 'memory' },
  },
  firstAnswer: {
    what: 'start to first answer, empty data directory',
    ...{ unit: 'ms', must: 500, aim: 250, section: 'start' },
  },
} as const satisfies Readonly<Record<string, Goal>>;

export type GoalName = keyof typeof GOALS;

export interface Measured {
  readonly goal: GoalName;
  readonly value: number;
  /** Rounds, another measure, the machine's own share. */
  readonly beside: string;
}
