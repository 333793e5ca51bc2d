/**
 * The calculation: from what is asked, and what an order costs on one machine, to cells, machines, network, disk and what the
 * choice of pools means. Nothing here is measured.
 */
import { COST_NAMES } from './measured.js';
import { FIXED, type Given } from './options.js';

const US_PER_SECOND = 1e6;
const SECONDS_PER_DAY = 86_400;
const BITS = 8;
const GB = 1e9;
/** Engine and shadow have a copy each. */
const COPIES = 2;
const NATS_SERVERS = 3;

/** One of the things that a cell has only so much of. */
export interface Bound {
  readonly what: string;
  /** What one cell can do, in its unit. */
  readonly ofCell: number;
  readonly unit: 'orders/s' | 'accounts';
  /** Cells that all of it takes. */
  readonly cells: number;
  readonly more: string;
}

export interface Plan {
  /** Those that need the most cells first. */
  readonly bounds: readonly Bound[];
  readonly cells: number;
  readonly machines: { readonly servers: number; readonly witnesses: number };
  /** Of one cell, at the peak. */
  readonly ofCell: {
    readonly orders: number;
    readonly accounts: number;
    readonly connections: number;
    readonly cores: number;
    readonly coresOfNats: number;
    readonly memoryBytes: number;
    readonly publicBitsPerSecond: number;
    readonly replicationBitsPerSecond: number;
    readonly journalBytesPerDay: number;
    readonly archiveBytesPerDay: number;
    readonly journalBytesKept: number;
    readonly commitsPerSecond: number;
  };
  readonly pools: readonly Pool[];
}

/** What a choice of pools means, for one market of five minutes. */
export interface Pool {
  readonly choice: string;
  /** Dollars in the pool that pays, with the house's seeds. */
  readonly dollars: number;
  /** Standard deviation of one side's share between the cells, in percentage points, where bettors choose sides by a coin. */
  readonly spread: number;
  /** How far the share that is shown is from the one that pays, in the same sense. */
  readonly shownBeside: number;
  /** By how many percentage points a bet of 1,000 dollars moves the share. */
  readonly slippage: number;
  /** The houses' seeds in all open rounds, on both sides, in dollars: they can lose no more than these in them. */
  readonly seeds: number;
}

export function planOf(given: Given): Plan {
  const bounds = boundsOf(given).sort((a, b) => b.cells - a.cells);
  const cells = Math.max(1, ...bounds.map((bound) => bound.cells));
  const ofCell = cellOf(given, cells);
  const { cores, busy } = given.asked;
  const witnesses = Math.ceil((cells * ofCell.coresOfNats) / (cores * busy));
  return { bounds, cells, machines: { servers: 2 * cells, witnesses }, ofCell, pools: poolsOf(given, cells) };
}

/** CPU time of the engine's thread for an order and, later, for its settlement. */
const engineUsOf = ({ measured }: Given): number => measured.engineUs + measured.settleUs;

function boundsOf(given: Given): Bound[] {
  const { asked, measured } = given;
  const { busy, orders, accounts } = asked;
  const perSecond = (us: number): number => (busy * US_PER_SECOND) / us;
  const byOrders = (what: string, ofCell: number, more: string): Bound => ({
    what,
    ofCell,
    unit: 'orders/s',
    cells: Math.ceil(orders / ofCell),
    more,
  });
  const byAccounts = (what: string, ofCell: number, more: string): Bound => ({
    what,
    ofCell,
    unit: 'accounts',
    cells: Math.ceil(accounts / ofCell),
    more,
  });
  const cores = coresAnOrder(given);
  const bytes = bytesAnAccount(given);
  return [
    byOrders("the engine's thread", perSecond(engineUsOf(given)), 'a faster core; nothing else'),
    byOrders("the shadow's thread", perSecond(measured.shadowUs), 'the archive on a thread of its own'),
    byOrders('the thread of roots', perSecond(measured.rootsUs), 'a faster core'),
    byOrders("the journal's thread", perSecond(measured.journalUs), 'a faster core'),
    byOrders("the replication's thread", perSecond(measured.replicationUs), 'a faster core'),
    byOrders(
      'the stream, one batch at a time',
      (busy * FIXED.batchCommandsMax * 1_000) / measured.publishMs,
      'larger batches, or several under way',
    ),
    byOrders(
      'Idempotency-Keys, one an order, remembered for ten minutes',
      asked.keysMax / FIXED.keySeconds,
      'the rule idempotencyEntriesMax, and memory for it',
    ),
    byOrders(
      'cores of a machine',
      (busy * asked.cores) / cores,
      'machines with more cores, and TOTE_GATEWAYS',
    ),
    byOrders(
      'the link of a machine, requests and answers',
      (busy * asked.networkGbit * GB) / (BITS * (asked.orderBytes + asked.answerBytes)),
      'a faster link',
    ),
    byAccounts(
      'connections of a server',
      asked.connectionsMax / asked.connected,
      'CONNECTIONS_MAX and file descriptors',
    ),
    byAccounts(
      'memory of a machine',
      (busy * asked.memoryGb * GB) / bytes,
      'memory; a shorter history (historyBetsMax)',
    ),
  ];
}

/** Cores that one order a second keeps busy on the machine that leads. */
function coresAnOrder({ asked, measured: m }: Given): number {
  const perOrder = COST_NAMES.reduce((sum, name) => sum + m[name], asked.reads * m.marketReadUs);
  const streams = (asked.accounts * asked.connected * asked.stream) / asked.orders;
  return (perOrder + streams * m.streamMessagesPerSecond * m.streamMessageUs) / US_PER_SECOND;
}

/** Memory of an account with its history, its share of open bets and of Idempotency-Keys. */
function bytesAnAccount({ asked, measured: m }: Given): number {
  const ordersOfOne = asked.orders / asked.accounts;
  const aDay = ordersOfOne * asked.average * SECONDS_PER_DAY;
  const settled = Math.min(FIXED.historyBets, aDay * 365);
  const open = ordersOfOne * asked.openMinutes * 60;
  const keys = ordersOfOne * FIXED.keySeconds;
  return COPIES * (m.accountBytes + (settled + open) * m.betBytes + keys * m.keyEntryBytes);
}

function cellOf(given: Given, cells: number): Plan['ofCell'] {
  const { asked, measured: m } = given;
  const orders = asked.orders / cells;
  const accounts = asked.accounts / cells;
  const connections = accounts * asked.connected;
  const ordersPerDay = orders * asked.average * SECONDS_PER_DAY;
  const streamBytes = (connections * asked.stream * m.marketsStreamBytesPerSecond) / FIXED.markets;
  return {
    orders,
    accounts,
    connections,
    cores: orders * coresAnOrder(given),
    coresOfNats: (orders * m.natsUs) / US_PER_SECOND,
    memoryBytes: accounts * bytesAnAccount(given),
    publicBitsPerSecond: BITS * (orders * (asked.orderBytes + asked.answerBytes) + streamBytes),
    // To the stream's leader, from there to two servers, and to the standby.
    replicationBitsPerSecond: BITS * orders * m.journalBytes * (NATS_SERVERS + 1),
    journalBytesPerDay: ordersPerDay * m.journalBytes,
    archiveBytesPerDay: ordersPerDay * m.archiveBytes,
    journalBytesKept: ordersPerDay * m.journalBytes * asked.retentionDays,
    commitsPerSecond: Math.min(1_000 / m.publishMs, orders),
  };
}

const MARKET_SECONDS = 300;
const LARGE_BET_DOLLARS = 1_000;

/** All markets are taken to be of five minutes, and to have the same share of the orders. */
function poolsOf({ asked }: Given, cells: number): Pool[] {
  const { markets, seedDollars } = FIXED;
  const bets = (asked.orders * asked.average * MARKET_SECONDS) / markets;
  const paying = (pools: number) => {
    const dollars = (bets / pools) * asked.stake + 2 * seedDollars;
    const spread = pools === 1 ? 0 : (100 * 0.5) / Math.sqrt(bets / pools);
    const slippage = (100 * 0.5 * LARGE_BET_DOLLARS) / (dollars + LARGE_BET_DOLLARS);
    return { dollars, spread, slippage, seeds: pools * markets * 2 * seedDollars };
  };
  const own = paying(cells);
  return [
    { choice: "the cell's own, and shown", ...own, shownBeside: 0 },
    { choice: "the cell's own, where the sum of all is shown", ...own, shownBeside: own.spread },
    { choice: 'one over all cells (not built)', ...paying(1), shownBeside: 0 },
  ];
}
