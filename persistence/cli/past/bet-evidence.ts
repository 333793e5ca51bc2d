/**
 * The input of `tote verify-bet`: files with answers of the API, and single values. Values take precedence over files.
 * What is missing or of the wrong type is named.
 */
import { readFileSync } from 'node:fs';
import { keyIdOf } from '../../../crypto/signing.js';
import type { BetEvidence, PublishedBet } from '../../../engine/fairness.js';
import type { NotedKey } from '../../../engine/model/proofs/signing.js';
import type {
  ProofEvidence,
  PublishedOrderProof,
  PublishedRoundProof,
} from '../../../engine/proofs/verify.js';
import { JournalError, messageOf } from '../../errors.js';
import { UsageError } from '../frame/exit-codes.js';

export interface EvidenceOptions {
  readonly order?: string;
  readonly round?: string;
  readonly evidence?: string;
  readonly clientSeed?: string;
  readonly commitment?: string;
  readonly seed?: string;
  readonly roundId?: string;
  readonly betId?: string;
  readonly market?: string;
  readonly prediction?: string;
  readonly amount?: string;
  readonly odds?: string;
  readonly entryPercent?: string;
  readonly payout?: string;
  readonly placedAt?: string;
  readonly betHash?: string;
  readonly proof?: string;
  readonly keys?: string;
  readonly notedRoot?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws `UsageError` if something is missing or wrong, and `file_unreadable`. */
export function gatherEvidence(options: EvidenceOptions): BetEvidence {
  const whole = membersOf(readJson(options.evidence), 'evidence');
  const order = membersOf(readJson(options.order), 'data');
  const round = membersOf(readJson(options.round), 'data');
  const bet = { ...fieldsAt(whole, 'bet'), ...('bet' in order ? fieldsAt(order, 'bet') : order) };
  const given = new Given();
  const evidence: BetEvidence = {
    bet: publishedBet(given, options, bet),
    clientSeed: clientSeedOf(options, whole),
    roundId: given.text('--round-id', options.roundId, whole['roundId'] ?? round['id']),
    seed: given.text('--seed', options.seed, whole['seed'] ?? round['seed']).toLowerCase(),
    seedCommitment: given
      .text('--commitment', options.commitment, whole['seedCommitment'] ?? round['seedCommitment'])
      .toLowerCase(),
  };
  given.complain();
  return evidence;
}

function publishedBet(given: Given, options: EvidenceOptions, bet: Fields): PublishedBet {
  return {
    id: given.text('--bet-id', options.betId, bet['id']),
    marketId: given.text('--market', options.market, bet['marketId']),
    prediction: given.text('--prediction', options.prediction, bet['prediction']),
    amount: given.number('--amount', options.amount, bet['amount']),
    oddsAtBet: given.number('--odds', options.odds, bet['oddsAtBet']),
    entryPercent: given.number('--entry-percent', options.entryPercent, bet['entryPercent']),
    potentialPayout: given.number('--payout', options.payout, bet['potentialPayout']),
    betHash: given.text('--bet-hash', options.betHash, bet['betHash']).toLowerCase(),
    placedAt: given.text('--placed-at', options.placedAt, bet['placedAt']),
  };
}

function clientSeedOf(options: EvidenceOptions, whole: Fields): string | null {
  const seed = options.clientSeed ?? whole['clientSeed'] ?? null;
  if (seed === null || typeof seed === 'string') return seed;
  throw new UsageError('clientSeed must be text');
}

/** The proof of the order, with what is given beside it; null if none is. Throws as `gatherEvidence` does. */
export function gatherProof(options: EvidenceOptions, { bet }: BetEvidence): ProofEvidence | null {
  if (options.proof === undefined) return null;
  if (options.keys === undefined) throw new UsageError('--proof needs --keys, the answer of GET /keys.');
  const order = membersOf(readJson(options.proof), 'data');
  const round = membersOf(readJson(options.round), 'data');
  const keys = readNotedKeys(options.keys);
  const isProof = isFields(order['root']) && Array.isArray(order['path']);
  if (!isProof) throw new UsageError('--proof must be an answer of the API.');
  return {
    bet: { id: bet.id, betHash: bet.betHash ?? '' },
    order: order as unknown as PublishedOrderProof,
    round: isFields(round['statement']) ? (round as unknown as PublishedRoundProof) : null,
    keys,
    notedRoot: options.notedRoot?.toLowerCase() ?? null,
  };
}

/** The keys of a file with an answer of `GET /keys`. Throws `UsageError` and `file_unreadable`. */
export function readNotedKeys(path: string): readonly NotedKey[] {
  const { data: keys } = readJson(path);
  if (Array.isArray(keys) && keys.every(isKey)) return keys;
  throw new UsageError(`${path} must be an answer of GET /keys.`);
}

/** The same where each id must be that of its key. */
export function readTrustedKeys(path: string): readonly NotedKey[] {
  const keys = readNotedKeys(path);
  for (const { keyId, publicKey } of keys) {
    if (!/^[0-9a-f]{64}$/.test(publicKey) || keyIdOf(publicKey) !== keyId)
      throw new UsageError(`${path}: ${JSON.stringify(keyId)} is not the id of its publicKey.`);
  }
  return keys;
}

const isKey = (key: unknown): key is NotedKey =>
  isFields(key) && typeof key['keyId'] === 'string' && typeof key['publicKey'] === 'string';

/** Takes values by the names of their options and collects what is missing, so that it is reported all at once. */
class Given {
  readonly #missing: string[] = [];

  text(option: string, value: string | undefined, fromFile: unknown): string {
    const found = value ?? fromFile;
    if (typeof found === 'string' && found !== '') return found;
    this.#missing.push(option);
    return '';
  }

  number(option: string, value: string | undefined, fromFile: unknown): number {
    const found = value === undefined ? fromFile : /^\d+(\.\d+)?$/.test(value) ? Number(value) : null;
    if (typeof found === 'number' && Number.isFinite(found)) return found;
    this.#missing.push(option);
    return 0;
  }

  complain(): void {
    if (this.#missing.length === 0) return;
    const isSeed = this.#missing.includes('--seed')
      ? ' The seed is published once the round is settled.'
      : '';
    throw new UsageError(`missing or not of its form: ${this.#missing.join(', ')}.${isSeed}`);
  }
}

const STDIN = 0;

function readJson(path: string | undefined): Fields {
  if (path === undefined) return {};
  const name = path === '-' ? 'stdin' : path;
  let text: string;
  try {
    text = readFileSync(path === '-' ? STDIN : path, 'utf8');
  } catch (thrown) {
    throw new JournalError('file_unreadable', `${name} cannot be read: ${messageOf(thrown)}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch (thrown) {
    throw new UsageError(`${name} is not JSON: ${messageOf(thrown)}`);
  }
  throw new UsageError(`${name} does not hold a JSON object`);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member, if the file has it (the API's envelope), or else the file itself. */
const membersOf = (file: Fields, member: string): Fields => {
  const inner = file[member];
  return isFields(inner) ? inner : file;
};

const fieldsAt = (from: Fields, member: string): Fields => {
  const inner = from[member];
  return isFields(inner) ? inner : {};
};
