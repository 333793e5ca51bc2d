/**
 * The example bots against the real server, which is killed under them: once before an order's answer can have been
 * sent, once after it was and got lost. No bet is lost and none is placed twice.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toCents } from '../../client/base/money.js';
import { realSurroundings } from '../../client/base/timing.js';
import { ToteClient } from '../../client/client.js';
import type { Bot } from '../../client/examples/bot.js';
import { bothSides } from '../../client/examples/both-sides.js';
import { imbalance } from '../../client/examples/imbalance.js';
import { momentum } from '../../client/examples/momentum.js';
import { OperatorClient, type Prices, parsePricePath, playPrices } from '../../client/sandbox/index.js';
import { fixedPort } from '../support/fixed-port.js';
import { newDiskDir, Server } from '../support/processes/server.js';

const sources = new URL('../../../client/examples/', import.meta.url);
const path = parsePricePath(readFileSync(new URL('prices/day.csv', sources), 'utf8'));
const MARKET = 'BTC_FIVE_MINUTES';
/** Half an hour: six rounds. */
const ROWS = 61;
/** The orders, counted by their keys, at whose first attempt the server dies. */
const KILLED_AT = [2, 4, 5];
const LINES_MAX = 100;
const LOSS_CENTS_MAX = 20_00;

interface Bet {
  readonly id: string;
  readonly prediction: 'UP' | 'DOWN';
  readonly amount: number;
  readonly potentialPayout: number;
  readonly round: { readonly roundNumber: number };
}

/** A server that is started again on its ports and its data whenever it was killed. */
class Phoenix {
  #server: Promise<Server>;
  kills = 0;
  /** What the feed says at the moment: a server that has just started quotes from nothing older. */
  prices: Prices = {};

  private constructor(
    private readonly dataDir: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.#server = Server.start({ dataDir, env });
  }

  static async rise(): Promise<Phoenix> {
    const env = {
      TOTE_PORT: await fixedPort(),
      TOTE_OPERATOR_PORT: await fixedPort(),
      TOTE_CLOCK_START: new Date(path[0]?.timeMs ?? 0).toISOString(),
    };
    return new Phoenix(newDiskDir(), env);
  }

  get server(): Promise<Server> {
    return this.#server;
  }

  /** Does not wait for the next life. */
  async kill(): Promise<void> {
    this.kills += 1;
    await (await this.#server).kill();
    this.#server = this.#riseAgain();
  }

  async #riseAgain(): Promise<Server> {
    const server = await Server.start({ dataDir: this.dataDir, env: this.env });
    await server.push(this.prices);
    return server;
  }
}

/** Sends requests, and kills the server at some orders: at every second one only after it has answered. */
function deadlyFetch(phoenix: Phoenix, placed: Map<string, string>): typeof fetch {
  const keys = new Set<string>();
  return async (url, init) => {
    const key = new Headers(init?.headers).get('Idempotency-Key');
    const isFirst = key !== null && !keys.has(key);
    if (key !== null) keys.add(key);
    const sent = fetch(url, init);
    if (isFirst && KILLED_AT.includes(keys.size)) {
      if (phoenix.kills % 2 === 0) sent.catch(() => undefined);
      else await sent;
      await phoenix.kill();
      throw new TypeError('fetch failed');
    }
    const response = await sent;
    if (key !== null && response.status === 201) {
      const { data } = (await response.clone().json()) as { data: { bet: { id: string } } };
      placed.set(key, data.bet.id);
    }
    return response;
  };
}

/** The bets that the bot knows of, and all that the server has. */
async function runUnderFire(bot: Bot): Promise<readonly Bet[]> {
  const phoenix = await Phoenix.rise();
  try {
    const server = await phoenix.server;
    const { secret } = await server.createBettor();
    const operator = new OperatorClient({ url: `${server.operatorUrl}/operator/v1`, token: server.token });
    let nowMs = 0;
    const placed = new Map<string, string>();
    const tote = new ToteClient({
      url: `${server.publicUrl}/v1`,
      key: secret,
      fetch: deadlyFetch(phoenix, placed),
      surroundings: { ...realSurroundings, nowMs: () => nowMs },
    });
    async function* looks() {
      for await (const { timeMs, prices } of playPrices(operator, path.slice(0, ROWS))) {
        nowMs = timeMs;
        phoenix.prices = prices;
        yield await tote.getMarket(MARKET);
      }
    }
    await bot({ tote, markets: looks(), log: () => undefined });
    assert.equal(phoenix.kills, KILLED_AT.length);
    const bets = (await (await phoenix.server).api(secret).get<Bet[]>('/orders?limit=200')).data;
    assert.deepEqual([...placed.values()].sort(), bets.map(({ id }) => id).sort());
    return bets;
  } finally {
    await (await phoenix.server).remove();
  }
}

test('momentum places one bet in each round', async () => {
  const rounds = (await runUnderFire(momentum)).map(({ round }) => round.roundNumber);
  assert.ok(rounds.length >= 5);
  assert.equal(new Set(rounds).size, rounds.length);
});

test('imbalance places at most three bets in each round', async () => {
  const rounds = (await runUnderFire(imbalance)).map(({ round }) => round.roundNumber);
  for (const round of rounds) assert.ok(rounds.filter((other) => other === round).length <= 3);
});

test('both sides are bet on, and no round can lose more than the limit', async () => {
  const bets = await runUnderFire(bothSides);
  assert.deepEqual([...new Set(bets.map(({ prediction }) => prediction))].sort(), ['DOWN', 'UP']);
  for (const { round } of bets) {
    const own = bets.filter((bet) => bet.round.roundNumber === round.roundNumber);
    const stakes = own.reduce((sum, { amount }) => sum + toCents(amount), 0);
    for (const result of ['UP', 'DOWN']) {
      const paid = own.filter(({ prediction }) => prediction === result);
      const payout = paid.reduce((sum, { potentialPayout }) => sum + toCents(potentialPayout), 0);
      assert.ok(
        stakes - payout <= LOSS_CENTS_MAX,
        `${round.roundNumber} loses ${stakes - payout} if ${result}`,
      );
    }
  }
});

test('each bot fits into a hundred lines', () => {
  for (const name of ['momentum', 'imbalance', 'both-sides', 'bot']) {
    const text = readFileSync(fileURLToPath(new URL(`${name}.ts`, sources)), 'utf8');
    assert.ok(text.split('\n').length <= LINES_MAX, name);
  }
});
