/**
 * Sends requests to the real server over real sockets, and checks four promises: it stays up and answers every
 * request that can be answered; every answer is allowed; refused requests change nothing; and all money is conserved.
 * The same seed sends the same requests.
 */
import assert from 'node:assert/strict';
import type { AccountResource } from '../../http/operator/accounts.js';
import { Sandbox } from '../support/api/api-client-sandbox.js';
import type { OrderResult } from '../support/api/spec.js';
import { cents } from '../support/api/spec-arithmetic.js';
import { Rng } from '../support/reference/random/rng.js';
import { classify } from './classify.js';
import { fuzzFields } from './fields.js';
import { Lane, type Outcome } from './lane.js';
import { type OperatorTarget, operatorRequest } from './operator.js';
import { rawRequest } from './raw.js';
import { type Prepared, prepare, type Target } from './requests.js';

interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  readonly lanes: number;
  /** The share that is broken below HTTP. */
  readonly rawShare: number;
  readonly onProgress?: (done: number) => void;
}

interface FuzzReport {
  readonly requests: number;
  readonly labels: ReadonlyMap<string, number>;
  readonly placed: number;
}

/** Rounds end between two checks of the books. */
const STRETCH = 20_000;
/** The last requests of each stretch go to the operator API, and must change nothing. */
const OPERATOR_SHARE = 0.1;
const BETTORS = 30;
/** Bettors of the broken requests: with a lost answer it is unknown whether their order was placed. */
const RAW_BETTORS = 10;
const BALANCE = 1_000_000;
const DAY_MS = 86_400_000;

/** Rejects with the seed, the request and its answer if a promise is broken. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const sandbox = await Sandbox.start();
  try {
    const roundIds: string[] = [];
    const known = { roundIds, operator: await operatorTarget(sandbox) };
    const run = new Run(
      sandbox,
      { ...known, ...(await bettors(sandbox, BETTORS)) },
      { ...known, ...(await bettors(sandbox, RAW_BETTORS)) },
      options,
    );
    for (let from = 0; from < options.requests; from += STRETCH) {
      await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
      roundIds.push(...(await run.openRoundIds()));
      await run.stretch(from, Math.min(STRETCH, options.requests - from));
      options.onProgress?.(Math.min(from + STRETCH, options.requests));
      await sandbox.advance(DAY_MS / 2);
    }
    const { secret } = await sandbox.trader({ tier: 'VIP', balance: BALANCE });
    const fields = await fuzzFields(sandbox, secret, { ...known.operator, roundId: roundIds[0] ?? '' });
    const ending = await sandbox.server.stop();
    assert.equal(ending.code, 0, ending.stderr);
    assert.doesNotMatch(ending.stderr, /"level":[56]0/, 'no error in the log');
    return { requests: options.requests + fields, labels: run.labels, placed: run.placed };
  } finally {
    await sandbox.remove();
  }
}

interface Bettors extends Pick<Target, 'secrets' | 'readers'> {
  readonly accounts: ReadonlySet<string>;
}

async function operatorTarget(sandbox: Sandbox): Promise<OperatorTarget> {
  const { accountId, keyId } = await sandbox.trader({ tier: 'SILVER', balance: 100 });
  return { token: sandbox.server.token, accountId, keyId };
}

async function bettors(sandbox: Sandbox, count: number): Promise<Bettors> {
  const secrets: string[] = [];
  const readers: string[] = [];
  const accounts = new Set<string>();
  for (let n = 0; n < count; n++) {
    const { accountId, secret } = await sandbox.trader({ tier: 'VIP', balance: BALANCE });
    accounts.add(accountId);
    secrets.push(secret);
    if (n % 4 === 0)
      readers.push((await sandbox.trader({ scopes: ['markets:read', 'positions:read'] })).secret);
  }
  return { secrets, readers, accounts };
}

class Run {
  readonly labels = new Map<string, number>();
  placed = 0;
  /** Orders in broken requests that were not answered: they may have been placed. */
  #unknown = 0;
  /** By well-formed requests, in cents. */
  #staked = 0n;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly bettors: Bettors & Target,
    private readonly rawBettors: Target,
    private readonly options: FuzzOptions,
  ) {}

  async openRoundIds(): Promise<string[]> {
    const markets = await this.sandbox.api(this.bettors.secrets[0] ?? null).markets();
    return markets.flatMap(({ currentRound }) => currentRound?.id ?? []);
  }

  async stretch(from: number, count: number): Promise<void> {
    const operatorCount = Math.floor(count * OPERATOR_SHARE);
    await this.#publicStretch(from, count - operatorCount);
    await this.#operatorStretch(from + count - operatorCount, operatorCount);
  }

  async #publicStretch(from: number, count: number): Promise<void> {
    const [sequence, balances] = [await this.#sequence(), await this.#balances()];
    const before = { sequence, placed: this.placed, balances };
    this.#unknown = 0;
    this.#staked = 0n;
    await this.#send(this.sandbox.server.publicUrl, from, count, (rng, serial) =>
      rng.chance(this.options.rawShare)
        ? rawRequest(rng, this.rawBettors, serial)
        : prepare(rng, this.bettors, serial),
    );
    const accepted = (await this.#sequence()) - before.sequence;
    const placed = this.placed - before.placed;
    assert.ok(
      accepted >= placed && accepted <= placed + this.#unknown,
      `${accepted} commands were journaled for ${placed} new orders and ${this.#unknown} lost answers`,
    );
    const paid = before.balances - (await this.#balances());
    assert.equal(paid, this.#staked, 'the bettors have paid for the orders that they were told of');
    await this.sandbox.checkConservation();
  }

  async #operatorStretch(from: number, count: number): Promise<void> {
    const books = async (): Promise<unknown> => [
      await this.#sequence(),
      await this.sandbox.house(),
      (await this.sandbox.operator.get('/accounts?limit=1000')).data,
    ];
    const before = await books();
    await this.#send(this.sandbox.server.operatorUrl, from, count, (rng) =>
      operatorRequest(rng, this.bettors),
    );
    assert.deepEqual(await books(), before, 'what an operator is refused changes nothing');
  }

  async #send(
    url: string,
    from: number,
    count: number,
    make: (rng: Rng, serial: number) => Prepared,
  ): Promise<void> {
    let next = from;
    const lanes = Array.from({ length: this.options.lanes }, async () => {
      const lane = new Lane(Number(new URL(url).port));
      try {
        while (next < from + count) await this.#one(lane, next++, make);
      } finally {
        lane.close();
      }
    });
    await Promise.all(lanes);
  }

  /** Only bettors whose every request is answered; in cents. */
  async #balances(): Promise<bigint> {
    const { data } = await this.sandbox.operator.get<AccountResource[]>('/accounts?limit=1000');
    const mine = data.filter(({ id }) => this.bettors.accounts.has(id));
    assert.equal(mine.length, BETTORS);
    return mine.reduce((sum, { balance }) => sum + cents(balance), 0n);
  }

  async #one(lane: Lane, serial: number, make: (rng: Rng, serial: number) => Prepared): Promise<void> {
    const rng = new Rng(Math.imul(this.options.seed, 0x9e3779b1) ^ serial);
    const prepared = make(rng, serial);
    let outcome: Outcome = [];
    try {
      outcome = await lane.exchange(prepared);
      for (const answer of outcome) this.#count(prepared, answer);
      if (outcome.length === 0) this.#label('closed');
      if (!prepared.isFramed) this.#unknown += unanswered(prepared, outcome);
    } catch (error) {
      throw new Error(explain(this.options.seed, serial, prepared, outcome), { cause: error });
    }
  }

  #count(prepared: Prepared, answer: Outcome[number]): void {
    const { label, isPlaced } = classify(prepared, answer);
    this.#label(label);
    if (!isPlaced) return;
    this.placed++;
    if (!prepared.isFramed) return;
    const { data } = JSON.parse(answer.body) as { data: OrderResult };
    this.#staked += cents(data.bet.amount);
  }

  #label(label: string): void {
    this.labels.set(label, (this.labels.get(label) ?? 0) + 1);
  }

  /** Every accepted command has a number, and nothing else has one. */
  async #sequence(): Promise<number> {
    return (await this.sandbox.operator.get<{ sequence: number }>('/status')).data.sequence;
  }
}

function unanswered({ bytes }: Prepared, outcome: Outcome): number {
  const orders = bytes.toString('latin1').split('"marketId"').length - 1;
  const placed = outcome.filter(({ status }) => status === 201).length;
  return Math.max(0, Math.min(2, orders) - placed);
}

function explain(seed: number, serial: number, { bytes }: Prepared, outcome: Outcome): string {
  const request = JSON.stringify(bytes.toString('latin1'));
  const answers = outcome.map(({ status, body }) => `${status} ${body.slice(0, 300)}`).join(' | ');
  return `seed ${seed}, request ${serial}: ${request.slice(0, 4_000)}\nanswered ${answers || 'by nothing'}`;
}
