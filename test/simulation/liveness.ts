/**
 * After the faults have stopped the server must recover within bounded time: orders are accepted, rounds settle, no
 * request stays unanswered, and everything acknowledged is there.
 */
import { roundId, timeFrameMs } from '../../engine/model/domain.js';
import { codeOf, headerOf } from './audit/answers.js';
import { orderRequest } from './clients/orders.js';
import { OPERATOR_TOKEN } from './machine/server.js';
import { check } from './violation.js';
import type { World } from './world.js';

const CRYPTO = /^(BTC|ETH|SOL|BNB|XRP|HYPE|TON)_ONE_MINUTE$/;
/** A round of a minute, two steps of the clock's guard, and some. */
const LIVE_WITHIN_MS = 240_000;
const PROBE_EVERY_MS = 3_000;
/** A request that a living server has had for this long is lost. */
const ANSWER_WITHIN_MS = 5_000;
/** Grace, then a pump. */
const SETTLED_WITHIN_MS = 10_000;

export class Liveness {
  #probes = 0;
  #placed = 0;
  #replayed = 0;
  /** Why probes were refused. */
  readonly #refusals = new Set<string>();
  #settledBefore = 0;
  #secret = '';

  constructor(private readonly world: World) {}

  get #settledRounds(): number {
    return this.world.coverage.count('event', 'roundSettled');
  }

  /** `done` is called when the world has shown that it lives. */
  begin(done: () => void): void {
    const { world } = this;
    this.#settledBefore = this.#settledRounds;
    world.scheduler.after(2_000, () => this.#restore());
    // Engine time may be ahead of a clock that has been put right; orders wait until it has caught up.
    const aheadMs = Math.max(0, world.auditor.shadow.timeMs - world.scheduler.nowMs);
    const probe = (): void => {
      this.#probe();
      world.scheduler.after(PROBE_EVERY_MS, probe);
    };
    world.scheduler.after(3_000, probe);
    world.scheduler.after(aheadMs + LIVE_WITHIN_MS, () => {
      this.#check();
      this.#compare(world.scheduler.nowMs + ANSWER_WITHIN_MS, done);
    });
  }

  /** As soon as nothing waits for the disk, the shadow must have the hot engine's whole state. */
  #compare(untilMs: number, done: () => void): void {
    const { auditor, machine, scheduler } = this.world;
    if (machine.server !== null && auditor.compareStates(machine.server)) {
      done();
      return;
    }
    check(scheduler.nowMs < untilMs, 'liveness', () => 'everything becomes durable');
    scheduler.after(1, () => this.#compare(untilMs, done));
  }

  /** Until the server is up there is no answer, and it is tried again. */
  #restore(): void {
    this.world.operator.restore();
    if (this.#secret !== '') return;
    this.#makeAccount();
    this.world.scheduler.after(7_000, () => this.#restore());
  }

  #makeAccount(): void {
    const { network } = this.world;
    const operator = { port: 'operator', method: 'POST', authorization: `Bearer ${OPERATOR_TOKEN}` } as const;
    network.send(
      { ...operator, path: '/operator/v1/accounts', body: '{"tier":"VIP","balance":100000}' },
      (made) => {
        if (made?.status !== 201) return;
        const { data } = JSON.parse(made.text) as { data: { id: string } };
        const path = `/operator/v1/accounts/${data.id}/keys`;
        network.send({ ...operator, path, body: '{"scopes":["orders:write","markets:read"]}' }, (key) => {
          if (key?.status !== 201) return;
          this.#secret = (JSON.parse(key.text) as { data: { secret: string } }).data.secret;
        });
      },
    );
  }

  #probe(): void {
    const { world } = this;
    // It never closes.
    const market = world.rules().markets.find(({ marketId }) => CRYPTO.test(marketId));
    if (this.#secret === '' || market === undefined) return;
    const body = { marketId: market.marketId, prediction: 'UP' as const, amount: market.minStakeCents / 100 };
    const name = ++this.#probes % 2 === 0 ? `probe-${this.#probes}` : null;
    const request = orderRequest(this.#secret, body, name, `10.9.${this.#probes % 250}.1`);
    world.network.send(request, (reply) => {
      if (reply !== null && reply.status >= 400) this.#refusals.add(codeOf(reply));
      if (reply?.status !== 201) return;
      this.#placed++;
      if (name === null) return;
      world.network.send(request, (again) => {
        if (
          again?.status === 201 &&
          again.text === reply.text &&
          headerOf(again.headers, 'X-Idempotent-Replay') === 'true'
        )
          this.#replayed++;
      });
    });
  }

  #check(): void {
    const { world } = this;
    const { auditor, machine, network, scheduler } = world;
    const server = machine.server;
    check(server !== null, 'liveness', () => 'the server runs');
    check(server.sequencer.gate === null, 'liveness', () => `orders are refused: ${server.sequencer.gate}`);
    // The memory of Idempotency-Keys may still be full of the storm's, and a price may move in too large steps.
    const isCoarse = this.#refusals.has('price_too_coarse');
    const isFull = isCoarse || this.#refusals.has('idempotency_full');
    const isPlaced = this.#placed > 0 || isCoarse;
    check(isPlaced, 'liveness', () => `an order was taken, of ${this.#probes} that were sent`);
    check(this.#replayed > 0 || isFull, 'liveness', () => 'an order was replayed');
    check(this.#settledRounds > this.#settledBefore, 'liveness', () => 'a round was settled');
    const nowMs = scheduler.nowMs;
    const { model: state } = auditor.oracle;
    const current = state.markets.flatMap((market) => market.current ?? []);
    for (const round of [...current, ...state.settling]) {
      const id = roundId(round.market, round.roundNumber);
      check(
        nowMs - round.endTimeMs < SETTLED_WITHIN_MS,
        'liveness',
        () => `${id} ended at ${round.endTimeMs} and is not settled`,
        () => [id],
      );
      check(
        round.endTimeMs - nowMs <= timeFrameMs(round.market),
        'liveness',
        () => `${id} lies ahead`,
        () => [id],
      );
    }
    for (const { request, takenMs } of network.pending) {
      check(
        nowMs - takenMs < ANSWER_WITHIN_MS,
        'liveness',
        () => `${request.method} ${request.path} waits since ${takenMs}`,
      );
    }
  }
}
