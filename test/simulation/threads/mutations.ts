/** Planted bugs between the threads: in the rings, the board, the rate limits and the answers. */
import { Sequencer } from '../../../engine/host/sequencer.js';
import { MarketPublisher } from '../../../http/board/market-publisher.js';
import { SharedRows } from '../../../http/board/shared-rows.js';
import { type SharedLimits, shareLimits } from '../../../http/limits/shared-limits.js';
import { type OnReply, RingLink } from '../../../http/rings/link.js';
import { ORDER } from '../../../http/rings/requests.js';
import { RingProducer } from '../../../http/rings/ring.js';
import { both, exchange, type Mutation, planted, SELDOM } from '../mutations/planting.js';

/** Two orders that wait in one gateway get each other's answer now and then. */
function mixUpTickets(): () => void {
  let kind = Number.NaN;
  let isFirst = false;
  let orders = 0;
  const waiting = new WeakMap<RingLink, { onReply: OnReply }>();
  const begin = exchange(RingProducer.prototype, 'begin', (_self, real, cells) => {
    isFirst = true;
    return real(cells);
  });
  const number = exchange(RingProducer.prototype, 'number', (_self, real, value) => {
    if (isFirst) kind = value;
    isFirst = false;
    real(value);
  });
  const send = exchange(RingLink.prototype, 'send', (self, real, write, onReply) => {
    const mine = { onReply };
    const isSent = real(write, (replyKind, ring) => {
      if (waiting.get(self) === mine) waiting.delete(self);
      mine.onReply(replyKind, ring);
    });
    if (!isSent || kind !== ORDER) return isSent;
    const other = waiting.get(self);
    waiting.set(self, mine);
    if (other !== undefined && ++orders % SELDOM === 0) {
      mine.onReply = other.onReply;
      other.onReply = onReply;
    }
    return isSent;
  });
  return both(send, number, begin);
}

/** A thread that sleeps is not woken now and then. */
function loseWakeUps(): () => void {
  let wakes = 0;
  return exchange(RingProducer.prototype, 'takeSleep', (_self, real) => real() && ++wakes % SELDOM !== 0);
}

/** A market that changes again within its time hides the bug. */
const OFTEN = 4;

/** A change is published with the next one, not within its time. */
function publishLate(): () => void {
  let publishes = 0;
  const atOnce = exchange(MarketPublisher.prototype, 'publishBets', () => undefined);
  const publish = exchange(
    MarketPublisher.prototype,
    'publish',
    (_self, real) => ++publishes % OFTEN !== 0 && real(),
  );
  return both(publish, atOnce);
}

/** The second half of a row is now and then as it was at the reading before. */
function tearRows(): () => void {
  const before = new WeakMap<SharedRows, Map<number, Float64Array>>();
  let reads = 0;
  return exchange(SharedRows.prototype, 'read', (self, real, row, into) => {
    const version = real(row, into);
    const rows = before.get(self) ?? new Map<number, Float64Array>();
    before.set(self, rows);
    const old = rows.get(row);
    rows.set(row, into.slice());
    const half = into.length >> 1;
    if (old !== undefined && ++reads % SELDOM === 0) into.set(old.subarray(half), half);
    return version;
  });
}

/** A command's waiters hear of it at once now and then, not when it is durable. */
function answerBeforeDurable(): () => void {
  return exchange(Sequencer.prototype, 'whenDurable', (_self, real, seq, run, refuse) => {
    if (seq % SELDOM === 0) run({ handedOverMs: 0, writtenMs: 0, durableMs: 0 });
    else real(seq, run, refuse);
  });
}

/** Limits that count on their own. */
const limitsAlone = (shared: SharedLimits): SharedLimits =>
  shared === null ? null : shareLimits(shared.settings, shared.capacity);

export const THREAD_MUTATIONS: readonly Mutation[] = [
  planted('wrong-connection', 'an answer goes to another connection', mixUpTickets),
  planted('lost-wake-up', 'a sleeping thread is not woken', loseWakeUps),
  planted('stale-board', 'a pool or price is older than 50 ms', publishLate, { seed: 8 }),
  planted('torn-row', 'a row is read half old, half new', tearRows),
  {
    name: 'limits-alone',
    bug: 'each gateway counts rate limits on its own',
    limitsOf: limitsAlone,
    canShow: ({ limits, gateways }) => limits !== null && gateways > 1,
  },
  planted('reply-before-durable', 'a gateway gets a reply before its batch is durable', answerBeforeDurable),
];
