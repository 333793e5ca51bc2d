/**
 * Checks lists of an account's bets: they are durable and of that account, and lack none that was acknowledged before
 * the request, through whichever gateway.
 */
import type { Engine } from '../../../engine/engine.js';
import type { Position } from '../../../http/wire/types.js';
import { everything } from '../../support/reference/compare.js';
import type { Exchange, Reply } from '../machine/network.js';
import { check } from '../violation.js';
import type { AnswerSources } from './answers.js';

const REMEMBERED_MAX = 16;
const ALL = 1_000_000;

interface Acknowledged {
  readonly bet: number;
  readonly sentMs: number;
}

export class ListAudit {
  readonly #cancelledMs = new Map<number, number>();
  readonly #acknowledged = new Map<number, Acknowledged[]>();

  constructor(private readonly sources: AnswerSources) {}

  onAcknowledged(account: number, bet: number): void {
    const known = this.#acknowledged.get(account) ?? [];
    this.#acknowledged.set(account, known);
    known.push({ bet, sentMs: this.sources.nowMs() });
    if (known.length > REMEMBERED_MAX) known.shift();
  }

  onList({ request, takenMs }: Exchange, reply: Reply): void {
    const { sources } = this;
    const account = sources.accountOf(request.apiKey ?? '');
    const { data } = JSON.parse(reply.text) as { data: Position[] };
    for (const shown of data) this.#checkFate(shown, takenMs);
    const listed = new Set(data.map(({ id }) => Number(id.slice(4))));
    for (const bet of listed) {
      check(
        bet <= sources.durableBets(),
        'shown is durable',
        () => `bet_${bet} is listed and not durable`,
        () => [`bet_${bet}`],
      );
      const of = sources.durableBet(bet)?.account ?? account;
      check(
        of === account,
        'own bets',
        () => `bet_${bet} of acc_${of} is listed for acc_${account}`,
        () => [`bet_${bet}`],
      );
    }
    this.#checkLatest(account, request, takenMs, listed);
  }

  onCancelled(bet: number): void {
    this.#cancelledMs.set(bet, this.sources.nowMs());
  }

  /** A limit order is shown as no more than is durable, and as cancelled from its cancellation's answer on. */
  #checkFate({ id, status, isLimitOrder, filledAt }: Position, takenMs: number): void {
    if (!isLimitOrder) return;
    const bet = Number(id.slice(4));
    const fate = this.sources.fateOf(bet);
    // Without a fate it was a bet from the beginning. One that is shown as resting may have ended in the meantime.
    const isTrue =
      status === 'PENDING'
        ? fate !== null && takenMs <= (this.#cancelledMs.get(bet) ?? Number.POSITIVE_INFINITY)
        : status === 'CANCELLED' || status === 'EXPIRED'
          ? fate === status && filledAt === null
          : (fate === 'FILLED' || fate === null) && typeof filledAt === 'string';
    check(
      isTrue,
      'shown is durable',
      () => `${id} is listed as ${status}, filled at ${filledAt}; durable is ${fate}`,
      () => [id],
    );
  }

  /** The latest bet that was acknowledged before the request came is listed, as long as the engine keeps it. */
  #checkLatest(
    account: number,
    { path, query = '' }: Exchange['request'],
    takenMs: number,
    listed: ReadonlySet<number>,
  ): void {
    const latest = this.#acknowledged.get(account)?.findLast(({ sentMs }) => sentMs < takenMs);
    const engine = this.sources.server()?.engine;
    if (latest === undefined || engine === undefined || listed.size >= limitOf(path, query)) return;
    const { bet } = latest;
    check(
      listed.has(bet) || !isKept(engine, account, bet, path, query),
      'acknowledged is listed',
      () => `bet_${bet} of acc_${account} is not in ${path}?${query}`,
      () => [`bet_${bet}`, `acc_${account}`],
    );
  }
}

function limitOf(path: string, query: string): number {
  const given = /limit=(\d+)/.exec(query)?.[1];
  return given === undefined ? (path.endsWith('orders') ? 50 : 100) : Number(given);
}

function isKept(engine: Engine, account: number, bet: number, path: string, query: string): boolean {
  const bets = path.endsWith('orders')
    ? engine.betsPage(account, everything(ALL)).bets
    : query.includes('status=all')
      ? engine.changesPage(account, ALL).bets
      : engine.openPositions(account);
  return bets.some((one) => one.bet === bet);
}
