/** The `--json` answers of the commands. */
import type { ProofVerdict } from '../../../client/proofs/verify.js';
import type { OperatorCaller, OperatorRole } from '../../../engine/model/operators.js';
import type { JournalErrorCode } from '../../errors.js';
import type { BackedUp } from '../../upkeep/backup/backup.js';
import type { Restored } from '../../upkeep/restore/restore.js';
import type { PrunePlan } from '../../upkeep/retention/retention.js';
import type { ExportFormat } from '../export/sink.js';
import type { RoundFacts } from '../past/round.js';

/** On stdout if a command fails. The parser's own errors (code 2) are on stderr only. */
export interface FailureJson {
  readonly error: {
    /** null for errors of the operating system or SQLite, and for programming errors. */
    readonly code: JournalErrorCode | 'usage' | null;
    readonly message: string;
  };
}

interface Copy {
  /** Engine time of the last command, ISO 8601. */
  readonly time: string;
}

export interface InitJson {
  /** Absolute path of the directory. */
  readonly path: string;
  readonly houseCapitalCents: number;
  readonly operatorTokenFile: string;
  /** The key that will sign roots and settlements. */
  readonly publicKey: string;
}

export interface BackupJson extends BackedUp, Copy {
  /** Absolute path. */
  readonly to: string;
}

/** For `promote` and `demote`. */
export interface LeaderJson {
  /** The names of the leader before, and from now on. */
  readonly from: string;
  readonly leader: string;
  readonly epoch: number;
  /** From the question until the successor's lease was seen. */
  readonly tookMs: number;
}

export interface RestoreJson extends Restored, Copy {
  /** Absolute path. */
  readonly out: string;
}

export interface SnapshotJson extends Copy {
  readonly seq: number;
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the full state. */
  readonly stateDigest: string;
}

export interface PruneJson extends PrunePlan {
  /** false with `--dry-run`. */
  readonly isDone: boolean;
}

export type RoundJson = RoundFacts;

export interface ExportJson {
  readonly what: 'bets' | 'ledger' | 'rounds';
  readonly file: string;
  readonly format: ExportFormat;
  readonly rows: number;
  /** `toSeq + 1` if no command is in the range. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Sentences on sums that do not add up, and on lost facts. */
  readonly faults: readonly string[];
}

export interface TokenJson {
  readonly name: string;
  /** null if the token was revoked. */
  readonly role: OperatorRole | null;
  /** Shown once; null if the token was revoked. */
  readonly secret: string | null;
  readonly file: string;
}

export interface TokensJson {
  readonly file: string;
  readonly tokens: readonly (OperatorCaller & {
    /** ISO 8601 in UTC. */
    readonly createdAt: string;
  })[];
}

/** `step` is the check that failed. */
export type VerifyBetJson = { readonly bet: string; readonly round: string } & ProofVerdict;

export interface RotateSigningKeyJson {
  readonly keyId: string;
  readonly publicKey: string;
  readonly retired: readonly string[];
}
