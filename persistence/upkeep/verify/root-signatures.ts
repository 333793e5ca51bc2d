/**
 * Checks the signature of each Merkle root on record, in the journal, in the snapshot that a replay begins with and
 * in the archive, with the public keys of the directory, or with keys that were noted elsewhere. The signed text
 * holds the commitment to the round's seed, so this takes the master secret, too. The server signs settlements when
 * it is asked, and stores none of these signatures.
 */
import { existsSync } from 'node:fs';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { isSignedBy } from '../../../crypto/signing.js';
import type { Engine } from '../../../engine/engine.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import { marketOf, type RoundName, roundId } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { SignedRoot } from '../../../engine/model/proofs/proof-views.js';
import type { NotedKey } from '../../../engine/model/proofs/signing.js';
import { unfinishedRounds } from '../../../engine/reads/round-bets.js';
import { openArchive } from '../../archive/file.js';
import { asArchiveDamage } from '../../archive/schema.js';
import { closing } from '../../data-dir/closing.js';
import type { DataDir } from '../../data-dir/layout.js';
import { isOtherSecret } from '../../data-dir/secrets.js';
import { readSigningKeys } from '../../data-dir/signing-keys.js';
import { codeOf } from '../../errors.js';
import { rootText } from '../../roots/round-roots.js';
import type { Findings } from './findings.js';

/** Read at a time, so that a running server can truncate the archive's WAL in between. */
const ARCHIVED_READ_MAX = 1_000;

const ARCHIVED = `SELECT market, round_number AS roundNumber, settled_seq AS settledSeq, merkle_root AS merkleRoot,
    tree_size AS treeSize, key_id AS keyId, signature
  FROM round WHERE (market, round_number) > (?, ?) AND merkle_root IS NOT NULL
  ORDER BY market, round_number LIMIT ${ARCHIVED_READ_MAX}`;

const HASH = /^[0-9a-f]{64}$/;

interface ArchivedRoot extends SignedRoot {
  readonly market: string;
  readonly roundNumber: number;
  readonly settledSeq: number;
}

export class RootSignatures {
  /** `journal` includes the snapshot before it. */
  readonly checked = { journal: 0, archive: 0 };
  readonly #seeds: RoundSeeds | null;
  /** By key id; null if the directory's keys cannot be read, which is told. */
  readonly #publicKeys: ReadonlyMap<string, string> | null;
  /** No public key has these ids: each is told once. */
  readonly #unlisted = new Set<string>();

  /**
   * Without the master secret, which is told elsewhere, nothing is checked. `noted` takes the place of the directory's keys;
   * null if there are none.
   */
  constructor(
    private readonly dir: DataDir,
    private readonly masterSecret: Uint8Array | null,
    private readonly noted: readonly NotedKey[] | null,
    private readonly findings: Findings,
  ) {
    this.#seeds = masterSecret === null ? null : new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    // A private key that does not fit its public one is told, too.
    const ofDir = findings.read('secret', dir.signingKeysFile, () => readSigningKeys(dir)?.all ?? []);
    const keys = noted ?? ofDir;
    this.#publicKeys = keys === null ? null : new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
  }

  publicKey(keyId: string): string | undefined {
    return this.#publicKeys?.get(keyId);
  }

  /** Roots of rounds that are not settled. */
  ofSnapshot(engine: Engine, file: string): void {
    for (const round of unfinishedRounds(engine)) {
      const { market, roundNumber, proof } = round;
      if (proof.root !== null)
        this.#ofJournal(engine, { ...proof.root, market, roundNumber }, file, engine.seq);
    }
  }

  /** Command `seq` of the segment `file` is the engine's last. */
  ofCommand(engine: Engine, events: readonly EngineEvent[], file: string, seq: number): void {
    for (const event of events) if (event.type === 'rootPublished') this.#ofJournal(engine, event, file, seq);
  }

  /** `engine` is the replay's. An archive that cannot be read is told elsewhere. */
  ofArchive(engine: Engine | null): void {
    if (engine === null || !this.#isSecretOf(engine)) return;
    const file = this.dir.archiveFile;
    using db = closing(openArchive(file));
    try {
      const page = db.prepare<[string, number], ArchivedRoot>(ARCHIVED);
      let after: readonly [string, number] = ['', 0];
      for (let rows = page.all(...after); rows.length > 0; rows = page.all(...after)) {
        for (const row of rows) {
          after = [row.market, row.roundNumber];
          if (this.#ofRow(row, file)) this.checked.archive += 1;
        }
      }
    } catch (thrown) {
      if (codeOf(asArchiveDamage(file, thrown)) !== 'archive_corrupt') throw thrown;
    }
  }

  /** A row may hold anything, even with a right checksum. */
  #ofRow(row: ArchivedRoot, file: string): boolean {
    const market = marketOf(row.market);
    if (market >= 0 && HASH.test(row.merkleRoot))
      return this.#check({ ...row, market }, file, row.settledSeq);
    const what = `The proof of round ${row.market}_${row.roundNumber} has no Merkle root in its form.`;
    this.findings.fault('signature', file, row.settledSeq, what);
    return false;
  }

  #ofJournal(engine: Engine, root: SignedRoot & RoundName, file: string, seq: number): void {
    if (this.#isSecretOf(engine) && this.#check(root, file, seq)) this.checked.journal += 1;
  }

  /** With another secret than the rounds' every signed text would be another one. */
  #isSecretOf(engine: Engine): boolean {
    return this.masterSecret !== null && !isOtherSecret(engine.rules, this.masterSecret);
  }

  /** Returns false if there is nothing to check it with. */
  #check(root: SignedRoot & RoundName, file: string, seq: number): boolean {
    if (this.#seeds === null || this.#publicKeys === null) return false;
    const { market, roundNumber, keyId, signature } = root;
    const round = roundId(market, roundNumber);
    const publicKey = this.#publicKeys.get(keyId);
    if (publicKey === undefined) {
      if (!this.#unlisted.has(keyId))
        this.findings.fault('signature', file, seq, this.#unlistedText(round, keyId));
      this.#unlisted.add(keyId);
      return false;
    }
    if (!isSignedBy(publicKey, rootText(this.#seeds, root), signature)) {
      const what = `The Merkle root of round ${round} has a signature that is none of the key ${keyId}, which it names.`;
      this.findings.fault('signature', file, seq, what);
    }
    return true;
  }

  #unlistedText(round: string, keyId: string): string {
    const signed = `The Merkle root of round ${round}, the first of them, is signed with the key ${keyId}`;
    if (this.noted !== null) return `${signed}, which is none of those that were given.`;
    const { signingKeysFile } = this.dir;
    const lack = existsSync(signingKeysFile)
      ? `is not in ${signingKeysFile}`
      : `nothing tells of: ${signingKeysFile} is missing`;
    const help =
      'Put that file back from a backup. If another machine of the exchange has signed, give the keys of both with --keys.';
    return `${signed}, which ${lack}. ${help}`;
  }
}
