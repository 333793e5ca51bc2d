/**
 * Checks every answer when it is sent: a success reports only what no crash can undo, a replay is the first answer
 * byte for byte, and all answers conform to the API document.
 */
import { assert } from '../../../engine/base/assert.js';
import type { EngineReads } from '../../../engine/engine.js';
import { marketOf, parseAccountId, ROUND_STATUSES, roundId } from '../../../engine/model/domain.js';
import type { BetPlaced, OrderPending, RootPublished } from '../../../engine/model/events.js';
import type { HeaderList } from '../../../engine/model/ports.js';
import type { Market, PlacedBet, Position, RoundDetail } from '../../../http/wire/types.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { cents, scaled } from '../../support/api/spec-arithmetic.js';
import { betFault } from '../../support/engine/bet-fault.js';
import type { OrderBody } from '../clients/orders.js';
import type { Coverage } from '../coverage.js';
import type { Exchange, Reply } from '../machine/network.js';
import type { Server } from '../machine/server.js';
import { check } from '../violation.js';
import { ListAudit } from './lists.js';
import type { Fate } from './oracle.js';

/** One answer in so many is compared with the API document, and the first few of each kind. */
const DOCUMENT_SAMPLE = 24;
const DOCUMENT_FIRST = 5;
const LIST_SAMPLE = 4;
const REMEMBERED_MAX = 60_000;

export interface AnswerSources {
  durableBets(): number;
  /** null if the order is not durable, or forgotten. */
  durableBet(bet: number): BetPlaced | OrderPending | null;
  /** null if the order never rested, or its fate is not durable. */
  fateOf(bet: number): Fate | null;
  rootOf(roundId: string): RootPublished | null;
  accountOf(apiKey: string): number;
  server(): Pick<Server, 'engine' | 'board'> | null;
  nowMs(): number;
  /** The hot engine, if everything that it has done is durable and shown; else null. */
  durableEngine(): EngineReads | null;
}

const document = new ApiDocument();

interface FirstAnswer {
  readonly bet: number;
  readonly text: string;
  readonly body: string;
  readonly gateway: string;
  /** A replay through another gateway may overtake the answer that is none. */
  wasNew: boolean;
}

export class AnswerAudit {
  readonly #firsts = new Map<string, FirstAnswer>();
  readonly #owners = new Map<number, string>();
  readonly #operatorFirsts = new Map<string, string>();
  readonly #lastBets = new Map<string, { readonly bet: PlacedBet; readonly clientSeed: string | null }>();
  readonly #shownRoots = new Map<string, string>();
  readonly #seen = new Map<string, number>();
  readonly #lists: ListAudit;
  ordersAcknowledged = 0;
  replays = 0;
  cancelled = 0;
  betsVerified = 0;

  constructor(
    private readonly sources: AnswerSources,
    private readonly coverage: Coverage,
  ) {
    this.#lists = new ListAudit(sources);
  }

  onSent(exchange: Exchange, reply: Reply): void {
    const { request } = exchange;
    const { method, path } = request;
    const kind = request.port === 'public' ? 'reply' : 'operator';
    const code = reply.status < 400 ? `${reply.status}` : `${reply.status} ${codeOf(reply)}`;
    const isReplay = reply.status === 201 && headerOf(reply.headers, 'X-Idempotent-Replay') === 'true';
    const name = `${method} ${shape(path)} ${code}${isReplay ? ' replay' : ''}`;
    this.coverage.hit(kind, name);
    if (request.port === 'operator') {
      if (reply.status === 201 && /deposits|withdrawals|accounts$/.test(path))
        this.#onTransfer(path, request.body ?? '', reply, isReplay);
      return;
    }
    const times = (this.#seen.get(name) ?? 0) + 1;
    this.#seen.set(name, times);
    if (times <= DOCUMENT_FIRST || times % DOCUMENT_SAMPLE === 0) {
      const names = reply.headers.filter((_, index) => index % 2 === 0).map((header) => header.toLowerCase());
      const fault = document.fault(method, path, reply.status, names, reply.text);
      check(fault === null, 'API document', () => fault ?? '');
    }
    if (method === 'POST' && reply.status === 201) this.#onPlaced(request, reply, isReplay);
    else if (method === 'DELETE' && reply.status === 200 && !path.endsWith('/orders'))
      this.#onCancelled(request, reply);
    else if (method === 'GET' && reply.status === 200)
      this.#onRead(exchange, reply, times % LIST_SAMPLE === 0);
  }

  #onRead(exchange: Exchange, reply: Reply, isSampled: boolean): void {
    const { path } = exchange.request;
    if (/\/rounds\//.test(path)) this.#onRound(path, reply);
    else if (/(orders|positions)$/.test(path)) this.#lists.onList(exchange, reply);
    else if (/\/markets\//.test(path)) this.#onMarket(path, reply);
    else if (isSampled && path.endsWith('/markets')) this.#onMarkets(reply);
  }

  #onMarket(path: string, reply: Reply): void {
    const { data } = JSON.parse(reply.text) as { data: Market };
    check(path.endsWith(`/${data.id}`), 'answer', () => `${path} is answered with ${data.id}`);
    this.sources.server()?.board.check(data);
  }

  /** While nothing waits for the disk the markets show exactly the engine's rounds. */
  #onMarkets(reply: Reply): void {
    const { data } = JSON.parse(reply.text) as { data: Market[] };
    for (const market of data) this.sources.server()?.board.check(market);
    const engine = this.sources.durableEngine();
    if (engine === null) return;
    for (const { id, currentRound } of data) {
      const round = engine.currentRound(marketOf(id));
      const expected =
        round === null
          ? 'none'
          : `${roundId(round.market, round.roundNumber)} ${ROUND_STATUSES[round.status]} ${round.openPrice}`;
      const shown =
        currentRound === null
          ? 'none'
          : `${currentRound.id} ${currentRound.status} ${currentRound.openPrice}`;
      check(
        shown === expected,
        'market shown',
        () => `${id} shows ${shown}, the engine has ${expected}`,
        () => [id],
      );
    }
  }

  /** A settled round has its seed, and the last bet that was answered in it verifies. */
  #onRound(path: string, reply: Reply): void {
    const { data } = JSON.parse(reply.text) as { data: RoundDetail };
    check(path.endsWith(`/${data.id}`), 'answer', () => `${path} is answered with ${data.id}`);
    this.#checkRoot(data);
    const { seed } = data;
    check(
      (seed !== null) === (data.status === 'SETTLED'),
      'seed',
      () => `${data.id} is ${data.status} and shows seed ${seed}`,
    );
    const shown = this.#lastBets.get(data.id);
    if (seed === null || shown === undefined) return;
    const fault = betFault({ ...shown, roundId: data.id, seed, seedCommitment: data.seedCommitment });
    check(fault === null, 'bet hash', () => `${shown.bet.id} in ${data.id}: ${fault}`);
    this.betsVerified++;
  }

  /** A root is shown once it is durable, and from then on always the same. */
  #checkRoot({ id, root, status }: RoundDetail): void {
    const durable = this.sources.rootOf(id);
    const shownBefore = this.#shownRoots.get(id) ?? null;
    check(
      root === null
        ? shownBefore === null
        : root.merkleRoot === durable?.merkleRoot &&
            root.treeSize === durable.treeSize &&
            root.signature === durable.signature &&
            root.merkleRoot === (shownBefore ?? root.merkleRoot),
      'root shown',
      () =>
        `${id}, ${status}, shows the root ${root?.merkleRoot}; durable is ${durable?.merkleRoot}, shown was ${shownBefore}`,
      () => [id],
    );
    if (root === null) return;
    this.#shownRoots.set(id, root.merkleRoot);
    forgetOldest(this.#shownRoots);
  }

  /** For good; only the order's owner can. */
  #onCancelled({ path, apiKey = '' }: Exchange['request'], reply: Reply): void {
    const { data } = JSON.parse(reply.text) as { data: Position };
    const bet = Number(data.id.slice(4));
    const account = this.sources.accountOf(apiKey);
    const about = (): string[] => [data.id, `acc_${account}`];
    check(
      path.endsWith(`/${data.id}`) && data.status === 'CANCELLED' && data.isLimitOrder,
      'answer',
      () => `${path} is answered with ${reply.text}`,
      about,
    );
    check(
      this.sources.durableBet(bet)?.account === account,
      'own bets',
      () => `${data.id} is cancelled by acc_${account}`,
      about,
    );
    const fate = this.sources.fateOf(bet);
    check(
      fate === 'CANCELLED',
      'acknowledged is durable',
      () => `${data.id} is told to be cancelled, durable is ${fate}`,
      about,
    );
    this.cancelled++;
    this.#lists.onCancelled(bet);
  }

  #onPlaced(request: Exchange['request'], reply: Reply, isReplay: boolean): void {
    const { data } = JSON.parse(reply.text) as { data: { bet: PlacedBet; newBalance: number } };
    const number = Number(data.bet.id.slice(4));
    const account = this.sources.accountOf(request.apiKey ?? '');
    const about = (): string[] => [data.bet.id, `acc_${account}`];
    check(
      number <= this.sources.durableBets(),
      'acknowledged is durable',
      () => `${data.bet.id} is acknowledged and not durable`,
      about,
    );
    const bet = this.sources.durableBet(number);
    if (bet?.type === 'betPlaced')
      this.#lastBets.set(roundId(bet.market, bet.roundNumber), { bet: data.bet, clientSeed: bet.clientSeed });
    if (bet !== null)
      check(matchesBet(bet, account, data), 'answer', () => `${data.bet.id} has ${reply.text}`, about);
    check(
      isOrdered(data.bet, request.body ?? ''),
      'answer',
      () => `${request.body} is answered with ${reply.text}`,
      about,
    );
    if (isReplay) this.replays++;
    else this.ordersAcknowledged++;
    this.#lists.onAcknowledged(account, number);
    const { idempotencyKey = null } = request;
    if (idempotencyKey === null) {
      check(!isReplay, 'replay', () => `${data.bet.id} replays an order without a key`, about);
      return;
    }
    const name = `${account} ${bareKey(idempotencyKey)}`;
    this.#checkOwner(number, name, about);
    const first = this.#firsts.get(name);
    if (first?.bet === number) {
      const isNewTwice = first.wasNew && !isReplay;
      check(!isNewTwice, 'placed once', () => `${data.bet.id} is answered as new a second time`, about);
      first.wasNew ||= !isReplay;
      check(
        first.text === reply.text,
        'replay identical',
        () => `${data.bet.id} was ${first.text}, is ${reply.text}`,
        about,
      );
      check(
        first.body === request.body,
        'replay',
        () => `${data.bet.id} replays for another body, ${request.body}`,
        about,
      );
      if (first.gateway !== gatewayOf(reply)) this.coverage.hit('reply', 'replay through another gateway');
      return;
    }
    const gateway = gatewayOf(reply);
    const { body = '' } = request;
    this.#firsts.set(name, { bet: number, text: reply.text, body, gateway, wasNew: !isReplay });
    forgetOldest(this.#firsts);
  }

  /** A bet answers for one Idempotency-Key and no other. */
  #checkOwner(bet: number, name: string, about: () => string[]): void {
    const owner = this.#owners.get(bet) ?? name;
    check(owner === name, 'replay', () => `bet ${bet} of ${owner} answers for ${name}`, about);
    this.#owners.set(bet, name);
    forgetOldest(this.#owners);
  }

  /** First balances and the house's transfers share a name: no reference is of both. */
  #onTransfer(path: string, body: string, reply: Reply, isReplay: boolean): void {
    const { reference } = JSON.parse(body) as { reference?: string };
    if (reference === undefined) return;
    const account = parseAccountId(path.split('/')[4] ?? '');
    const name = `${account} ${reference}`;
    const first = this.#operatorFirsts.get(name);
    if (first !== undefined) {
      check(
        isReplay && first === reply.text,
        'transfer once',
        () => `${name} was ${first}, is ${reply.text}`,
        () => [`acc_${account}`],
      );
    }
    this.#operatorFirsts.set(name, reply.text);
  }
}

function forgetOldest<K>(map: Map<K, unknown>): void {
  if (map.size <= REMEMBERED_MAX) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

const bareKey = (key: string): string => (key.startsWith('"') ? key.slice(1, -1) : key);

function isOrdered(shown: PlacedBet, body: string): boolean {
  const { marketId, prediction, amount, limitOdds } = JSON.parse(body) as OrderBody;
  return (
    shown.marketId === marketId &&
    shown.prediction === prediction &&
    shown.amount === amount &&
    shown.limitOdds === limitOdds
  );
}

function matchesBet(
  bet: BetPlaced | OrderPending,
  account: number,
  { bet: shown, newBalance }: { bet: PlacedBet; newBalance: number },
): boolean {
  const rests = bet.type === 'orderPending';
  return (
    shown.status === (rests ? 'PENDING' : 'ACTIVE') &&
    (shown.betHash === null) === rests &&
    scaled(shown.limitOdds ?? 0, 4) === BigInt(bet.limitOddsE4) &&
    bet.account === account &&
    bet.market === marketOf(shown.marketId) &&
    cents(shown.amount) === BigInt(bet.stakeCents) &&
    scaled(shown.oddsAtBet, 4) === BigInt(bet.oddsE4) &&
    (shown.entryPercent === null
      ? rests
      : !rests && scaled(shown.entryPercent, 2) === BigInt(bet.entryPercentE2)) &&
    cents(shown.potentialPayout) === BigInt(bet.payoutCents) &&
    cents(newBalance) === BigInt(bet.newBalanceCents) &&
    Date.parse(shown.placedAt) === bet.timeMs &&
    shown.prediction === (bet.side === 0 ? 'UP' : 'DOWN')
  );
}

const gatewayOf = (reply: Reply): string => headerOf(reply.headers, 'X-Request-Id').split('-')[0] ?? '';

export function headerOf(headers: HeaderList, name: string): string {
  const at = headers.findIndex((header, i) => i % 2 === 0 && header === name);
  return at < 0 ? '' : (headers[at + 1] ?? '');
}

export function codeOf(reply: Reply): string {
  const match = /^\{"success":false,"error":"([a-z_]+)/.exec(reply.text);
  assert(match !== null, `a failure is in the envelope: ${reply.text.slice(0, 100)}`);
  return match[1] ?? '';
}

const shape = (path: string): string =>
  path.replace(/^\/api/, '').replace(/(markets|rounds|accounts|keys|orders)\/[^/]+/, '$1/{id}');
