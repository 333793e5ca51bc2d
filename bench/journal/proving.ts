/**
 * What settlement proofs cost each thread, for a round with so many bets: the code of the engine's thread, the shadow, the
 * thread of roots, and the archive's reader, one after the other in one thread. Times are CPU time.
 */
import { generateKeyPairSync, hash } from 'node:crypto';
import { assert, must } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import { RoundSeeds } from '../../engine/fairness.js';
import type { ArchiveAnswer, ArchivedRoundProof, ArchiveQuestion } from '../../engine/model/archive-reads.js';
import type { Command } from '../../engine/model/commands.js';
import { ASSETS, marketOf } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import { type ProofMakers, roundProof } from '../../http/wire/proofs/proof-text.js';
import { ArchiveWriter } from '../../persistence/archive/writer.js';
import { openDataDir } from '../../persistence/data-dir/layout.js';
import { FAIRNESS_TOOLS } from '../../persistence/fairness-tools.js';
import { CHAIN_START } from '../../persistence/journal/segment/batch-row.js';
import { PastReader } from '../../persistence/past/reader.js';
import { RootFeed } from '../../persistence/roots/feed.js';
import type { MadeRoot, RootNotes } from '../../persistence/roots/messages.js';
import { RoundRoots } from '../../persistence/roots/round-roots.js';
import { keyIdOf, signerOf } from '../../persistence/signing.js';
import { openScenario, order } from '../engine/scenario.js';

const MARKET = marketOf('BTC_ONE_MINUTE');
const ACCOUNTS = 1_000;
const SECRET = Buffer.alloc(32, 7);
/** Commands whose notes the shadow tells at once. */
const TOLD_AT_ONCE = 500;
const QUESTIONS = 2_000;
const SETTLED_AT_ONCE = 1_000;

export interface ProvingCost {
  readonly bets: number;
  /** The engine's thread: the command with a root, which is all that it has to do with a round's. */
  readonly publishUs: number;
  /** The shadow: to note a bet. */
  readonly noteUs: number;
  /** The thread of roots: to hash a bet and add it to the tree; then a root and its signature, when the round locks. */
  readonly hashUs: number;
  readonly lockUs: number;
  /** The archive's reader: the first path of a round, for which its tree is made, and the longest slice of that; any other. */
  readonly firstPathMs: number;
  readonly longestSliceMs: number;
  readonly pathUs: number;
  /** A round's proof, read, and made a signed text at the gateway. */
  readonly roundUs: number;
}

/** CPU time of a piece of work, in microseconds. */
function cpuUs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function newSigner(): { readonly keyId: string; readonly sign: (text: string) => string } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const hexOf = (part: string | undefined): string =>
    Buffer.from(must(part, 'a key'), 'base64url').toString('hex');
  const [publicKey, privateKey] = [hexOf(x), hexOf(d)];
  return { keyId: keyIdOf(publicKey), sign: signerOf({ publicKey, privateKey }) };
}

/** A round that is played from its first bet to its settlement, with its archive in `dir`. */
class PlayedRound {
  readonly engine: Engine;
  readonly round: RoundView;
  readonly #archive: ArchiveWriter;

  constructor(dir: string, bets: number) {
    this.engine = openScenario(ACCOUNTS, bets).engine;
    const { engine } = this;
    this.round = must(engine.currentRound(MARKET), 'a round');
    this.#archive = ArchiveWriter.create(openDataDir(dir), this.#position(), engine, 1);
    this.#archive.follow(engine);
  }

  apply(command: Command): readonly EngineEvent[] {
    const outcome = this.engine.apply(command);
    assert(outcome.status === 'accepted', `${command.kind} is accepted: ${JSON.stringify(outcome)}`);
    this.#archive.add(outcome.seq, command, outcome.events);
    return outcome.events;
  }

  settle(): void {
    const { endTimeMs: timeMs } = this.round;
    this.apply({ kind: 'advance', timeMs });
    ASSETS.forEach((_, asset) => {
      const priced = { boundaryMs: timeMs, price: 101, priceTimeMs: timeMs, source: null, evidence: 'bench' };
      this.apply({ kind: 'boundaryPrice', timeMs, asset, ...priced });
    });
    while (this.engine.settlementsWaiting) this.apply({ kind: 'settle', timeMs, betsMax: SETTLED_AT_ONCE });
    this.#archive.commit(this.#position());
    this.#archive.close();
  }

  #position() {
    const { seq, timeMs } = this.engine;
    return { seq, timeMs, digest: this.engine.rollingDigest(), chain: CHAIN_START };
  }
}

export function provingCost(dir: string, bets: number): ProvingCost {
  const signer = newSigner();
  const played = new PlayedRound(dir, bets);
  const notes: RootNotes[] = [];
  const feed = new RootFeed(played.engine, (noted) => notes.push(noted));
  const placed = Array.from({ length: bets }, (_, n) =>
    played.apply({ ...order(n, ACCOUNTS), market: MARKET, side: n % 2 }),
  );
  const noteUs = cpuUs(() => {
    for (const [n, events] of placed.entries()) {
      feed.add(events);
      if (n % TOLD_AT_ONCE === 0) feed.tell();
    }
    feed.tell();
  });
  const roots = new RoundRoots(SECRET, signer, (data) => hash('sha256', data, 'buffer'), 0);
  const hashUs = cpuUs(() => {
    for (const noted of notes.splice(0)) roots.take(noted);
  });
  feed.add(played.apply({ kind: 'advance', timeMs: played.round.lockTimeMs }));
  feed.tell();
  const made: MadeRoot[] = [];
  const lockUs = cpuUs(() => {
    for (const noted of notes.splice(0)) made.push(...roots.take(noted));
  });
  const publishUs = cpuUs(() => {
    for (const root of made) played.apply({ kind: 'publishRoot', timeMs: played.round.lockTimeMs, ...root });
  });
  assert(played.round.proof?.root?.treeSize === bets, 'the root is over all bets');
  played.settle();
  const { keyId, sign } = signer;
  const seeds = new RoundSeeds(SECRET, FAIRNESS_TOOLS);
  const signed = (text: string) => ({ text, keyId, signature: sign(text) });
  return {
    bets,
    publishUs: publishUs / made.length,
    noteUs: noteUs / bets,
    hashUs: hashUs / bets,
    lockUs: lockUs / made.length,
    ...answeringCost(openDataDir(dir).archiveFile, bets, played.round, {
      seeds,
      tools: FAIRNESS_TOOLS,
      sign: signed,
    }),
  };
}

type AnsweringCost = Pick<ProvingCost, 'firstPathMs' | 'longestSliceMs' | 'pathUs' | 'roundUs'>;

function answeringCost(
  path: string,
  bets: number,
  { market, roundNumber }: RoundView,
  makers: ProofMakers,
): AnsweringCost {
  const reader = must(PastReader.open(path), 'the archive');
  const seed = makers.seeds.seed(market, roundNumber);
  const ofBet = (bet: number): ArchiveQuestion => {
    return { kind: 'betPath', market, roundNumber, bet, seed, reachedSeq: 0 };
  };
  const answer = (question: ArchiveQuestion): ArchiveAnswer | undefined => reader.answer(question)?.answer;
  const slicesUs: number[] = [];
  for (let found: unknown; found === undefined; )
    slicesUs.push(
      cpuUs(() => {
        found = answer(ofBet(1));
      }),
    );
  const pathsUs = cpuUs(() => {
    for (let n = 0; n < QUESTIONS; n++) {
      const bet = 1 + ((n * 7_919) % bets);
      assert(JSON.stringify(answer(ofBet(bet))).includes(`"leafIndex":${bet - 1},`), 'the path of the bet');
    }
  });
  const roundsUs = cpuUs(() => {
    for (let n = 0; n < QUESTIONS; n++) {
      const told = answer({ kind: 'roundProof', market, roundNumber, reachedSeq: 0 });
      const proof = roundProof(must(told, 'a proof') as ArchivedRoundProof, makers);
      assert(JSON.stringify(proof).includes(`"totalBets":${bets},`), 'the proof of the round');
    }
  });
  reader.close();
  return {
    firstPathMs: slicesUs.reduce((sum, us) => sum + us, 0) / 1_000,
    longestSliceMs: Math.max(...slicesUs) / 1_000,
    pathUs: pathsUs / QUESTIONS,
    roundUs: roundsUs / QUESTIONS,
  };
}
