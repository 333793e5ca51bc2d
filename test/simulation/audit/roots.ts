/**
 * Checks the roots of rounds: each is RFC 6962's over the hashes of the round's bets in the order in which they joined it, as
 * the definition reads, is put on record once, and stays as it was.
 */
import { createHash } from 'node:crypto';
import { FAIRNESS_TOOLS } from '../../../crypto/fairness-tools.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import { LOCKED, parseRoundId, roundId, SETTLING } from '../../../engine/model/domain.js';
import type { HashedBet, RootPublished } from '../../../engine/model/events.js';
import type { EngineReads } from '../../../engine/model/views.js';
import { check } from '../violation.js';
import type { RoundBook } from './rounds.js';

/** Roots that are remembered: of far more rounds than any engine keeps. */
const REMEMBERED_MAX = 2_000;

export class RootAudit {
  readonly #seeds: RoundSeeds;
  /** By round: hashes of its bets, in the order in which they joined it. */
  readonly #hashes = new Map<string, Buffer[]>();
  readonly #roots = new Map<string, RootPublished>();
  publishedCount = 0;

  constructor(masterSecret: Uint8Array) {
    this.#seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
  }

  /** The root of a round as it became durable; null if it has none. */
  rootOf(id: string): RootPublished | null {
    return this.#roots.get(id) ?? null;
  }

  /** A bet joins its round. Its hash has the time at which the order was placed. */
  onBet(bet: Omit<HashedBet, 'timeMs'>, placedAtMs: number): void {
    const id = roundId(bet.market, bet.roundNumber);
    const hashes = this.#hashes.get(id) ?? [];
    this.#hashes.set(id, hashes);
    hashes.push(Buffer.from(this.#seeds.betHash({ ...bet, timeMs: placedAtMs }), 'hex'));
  }

  onPublished(root: RootPublished, round: RoundBook): void {
    const about = (): string[] => [round.id];
    check(
      (round.status === LOCKED || round.status === SETTLING) && root.timeMs >= round.lockMs,
      'root in time',
      () => `${round.id} has its root at ${root.timeMs}, in status ${round.status}`,
      about,
    );
    check(!this.#roots.has(round.id), 'root once', () => `${round.id} has two roots`, about);
    const hashes = this.#hashes.get(round.id) ?? [];
    const expected = treeHash(hashes).toString('hex');
    check(
      root.treeSize === hashes.length && root.merkleRoot === expected,
      'root',
      () =>
        `${round.id} has ${root.merkleRoot} of ${root.treeSize}, expected ${expected} of ${hashes.length}`,
      about,
    );
    this.#hashes.delete(round.id);
    this.#roots.set(round.id, root);
    this.publishedCount++;
    const [oldest] = this.#roots.keys();
    if (this.#roots.size > REMEMBERED_MAX && oldest !== undefined) this.#roots.delete(oldest);
  }

  /** A round that is over needs no more hashes. */
  onSettled(id: string): void {
    this.#hashes.delete(id);
  }

  /** The engine has the roots that are on record, of all rounds that it keeps. */
  checkSame(engine: EngineReads): void {
    for (const [id, { merkleRoot, treeSize, signature }] of this.#roots) {
      const of = parseRoundId(id);
      const round = of === null ? null : engine.round(of.market, of.roundNumber);
      if (round === null) continue;
      const kept = round.proof?.root ?? null;
      check(
        kept?.merkleRoot === merkleRoot && kept.treeSize === treeSize && kept.signature === signature,
        'root stays',
        () => `${id} had the root ${merkleRoot}, now ${kept?.merkleRoot}`,
        () => [id],
      );
    }
  }
}

const sha256 = (...parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** MTH of RFC 6962, section 2.1, word for word. */
function treeHash(data: readonly Buffer[]): Buffer {
  const [only] = data;
  if (only === undefined) return sha256();
  if (data.length === 1) return sha256(Buffer.of(0), only);
  let k = 1;
  while (k * 2 < data.length) k *= 2;
  return sha256(Buffer.of(1), treeHash(data.slice(0, k)), treeHash(data.slice(k)));
}
