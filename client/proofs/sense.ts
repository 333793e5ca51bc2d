/** Agreement between the statements of a proof, whoever has signed them: docs/bots/proofs.md lists it. */
import type { JournalHead } from '../base/types.js';
import type { ProofEvidence } from './evidence.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long the rounds of a market run, by the end of its id. */
export const FRAMES_MS: Readonly<Record<string, number>> = {
  ONE_MINUTE: MINUTE_MS,
  FIVE_MINUTES: 5 * MINUTE_MS,
  FIFTEEN_MINUTES: 15 * MINUTE_MS,
  FOUR_HOURS: 240 * MINUTE_MS,
  ONE_DAY: DAY_MS,
};
/** A tick may be this far ahead of the server's clock when it opens a round late. */
const TICK_AHEAD_MS = 1_000;
/** Servers take prices of this age at a boundary unless their rules say otherwise. */
const USUAL_PRICE_AGE_MS = 10_000;

type Test = (value: unknown) => boolean;
const matches =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const text: Test = (value) => typeof value === 'string';
const hash = matches(/^[0-9a-f]{64}$/);
const keyId = matches(/^[0-9a-f]{16}$/);
const signature = matches(/^[0-9a-f]{128}$/);
const count: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const price: Test = (value) => typeof value === 'number' && Number.isFinite(value) && value > 0;
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || value === null || test(value);
const nullable =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);
const decimal =
  (decimals: number): Test =>
  (value) => {
    if (typeof value !== 'number' || !(value >= 0)) return false;
    const units = Math.round(value * 10 ** decimals);
    return Number.isSafeInteger(units) && units / 10 ** decimals === value;
  };
const profit: Test = (value) => typeof value === 'number' && decimal(2)(Math.abs(value));
const time: Test = (value) => {
  if (!matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)(value)) return false;
  const ms = Date.parse(value as string);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
};

type Fields = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, Test>>;
const formOf =
  (form: Form): Test =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(form).every(([name, test]) => test((value as Fields)[name]));

const side = oneOf('UP', 'DOWN');
const root = formOf({ merkleRoot: hash, treeSize: count, publishedAt: time, keyId, signature });
const provenPrice = formOf({
  price: nullable(price),
  time: nullable(time),
  source: nullable(text),
  evidence: nullable(text),
  rule: oneOf('boundary', 'late', null),
});

const betId = matches(/^bet_\d+$/);
const keys = listOf(formOf({ keyId, publicKey: hash, createdAt: time, retiredAt: nullable(time) }));

/** The other checks need every value in its form. */
export const hasForm = formOf({
  bet: formOf({
    id: betId,
    marketId: optional(text),
    crypto: optional(text),
    timeFrame: optional(text),
    prediction: side,
    amount: decimal(2),
    oddsAtBet: decimal(4),
    entryPercent: decimal(2),
    potentialPayout: decimal(2),
    placedAt: time,
    betHash: hash,
    round: optional(formOf({ id: text, roundNumber: optional(count), endTime: optional(time) })),
    status: optional(text),
    filledAt: optional(time),
    result: optional(oneOf('WIN', 'LOSS', 'DRAW', 'REFUNDED')),
    payout: optional(decimal(2)),
    profit: optional(profit),
    settledAt: optional(time),
  }),
  clientSeed: optional(text),
  orderProof: formOf({
    orderId: text,
    roundId: text,
    betHash: hash,
    leafIndex: count,
    path: listOf(hash),
    seedCommitment: hash,
    root,
  }),
  roundProof: formOf({
    id: text,
    marketId: text,
    crypto: text,
    timeFrame: oneOf(...Object.keys(FRAMES_MS)),
    roundNumber: count,
    startTime: time,
    lockTime: time,
    endTime: time,
    seedCommitment: hash,
    seed: hash,
    open: provenPrice,
    close: provenPrice,
    result: oneOf(undefined, 'UP', 'DOWN', 'DRAW'),
    voidReason: nullable(text),
    poolUp: decimal(2),
    poolDown: decimal(2),
    totalPool: decimal(2),
    houseSeeds: decimal(2),
    fee: decimal(4),
    totalBets: count,
    totalVolume: decimal(2),
    root: nullable(root),
    rootInTime: oneOf(true, false, null),
    resolvedAt: time,
    settledAt: time,
    statement: formOf({ text, keyId, signature }),
  }),
  keys,
});

export const receiptHasForm = formOf({
  receipt: formOf({
    orderId: betId,
    accountId: matches(/^acc_\d+$/),
    betHash: hash,
    seq: count,
    time,
    keyId,
    signature,
  }),
  bet: optional(formOf({ id: betId, betHash: hash, placedAt: time })),
  accountId: optional(text),
  keys,
});

const hasHeadForm = formOf({ seq: count, chain: hash, time, keyId, signature });
export const isJournalHead = (value: unknown): value is JournalHead => hasHeadForm(value);
export const headHasForm = formOf({ head: isJournalHead, noted: optional(isJournalHead), keys });

const ms = Date.parse;
const inOrder = (...values: readonly number[]): boolean =>
  values.every((value, i) => i === 0 || (values[i - 1] as number) <= value);

export function timesAgree({ bet, roundProof: round }: ProofEvidence): boolean {
  const { crypto, timeFrame, roundNumber, marketId } = round;
  const frameMs = FRAMES_MS[timeFrame] ?? Number.NaN;
  const boundaryMs = roundNumber * frameMs;
  const [startMs, lockMs, endMs] = [ms(round.startTime), ms(round.lockTime), ms(round.endTime)];
  const [resolvedMs, settledMs] = [ms(round.resolvedAt), ms(round.settledAt)];
  const isNamed = marketId === `${crypto}_${timeFrame}` && round.id === `${marketId}_${roundNumber}`;
  const isOfMarket =
    (bet.marketId ?? marketId) === marketId &&
    (bet.crypto ?? crypto) === crypto &&
    (bet.timeFrame ?? timeFrame) === timeFrame &&
    (bet.round?.roundNumber ?? roundNumber) === roundNumber &&
    (bet.round?.endTime ?? round.endTime) === round.endTime;
  // A round with many bets is settled in steps.
  const isSettled = inOrder(resolvedMs, ms(bet.settledAt ?? round.settledAt), settledMs);
  const [placedMs, filledMs] = [ms(bet.placedAt), ms(bet.filledAt ?? bet.placedAt)];
  const isOnTime = round.open.rule === 'late' || startMs === boundaryMs;
  return (
    isNamed &&
    isOfMarket &&
    isOnTime &&
    isSettled &&
    inOrder(boundaryMs, startMs, placedMs, filledMs) &&
    filledMs < lockMs &&
    endMs === boundaryMs + frameMs &&
    lockMs < endMs &&
    inOrder(round.result === undefined ? startMs : endMs, resolvedMs, settledMs)
  );
}

/** The bet's round opened, so there is an opening price; a closing one is there if it has a result. */
export function pricesAgree({ roundProof: { open, close, ...round } }: ProofEvidence): boolean {
  if (open.price === null || open.time === null) return false;
  const [startMs, openMs] = [ms(round.startTime), ms(open.time)];
  const aheadMs = open.rule === 'late' ? TICK_AHEAD_MS : 0;
  if (!inOrder(startMs - DAY_MS, openMs, startMs + aheadMs)) return false;
  if (close.price === null) return true;
  const endMs = ms(round.endTime);
  return close.time !== null && inOrder(Math.max(openMs, endMs - DAY_MS), ms(close.time), endMs);
}

/** Sums and products of numbers that are safe need not be. */
const units = (value: number, scale: number): bigint => BigInt(Math.round(value * scale));

/** Only what became a bet has a proof, and only a settled bet its result. */
const hasStatus = ({ status, result }: ProofEvidence['bet']): boolean =>
  (status ?? 'SETTLED') === 'SETTLED' ||
  ((status === 'ACTIVE' || status === 'SETTLING') && (result ?? null) === null);

export function resultAgrees({ bet, roundProof: round }: ProofEvidence): boolean {
  const { result, voidReason } = round;
  const [open, close] = [round.open.price, round.close.price];
  const pays = (said: string, dollars: number): boolean => {
    const gain = Number(units(dollars, 100) - units(bet.amount, 100)) / 100;
    return (
      (bet.result ?? said) === said && (bet.payout ?? dollars) === dollars && (bet.profit ?? gain) === gain
    );
  };
  if (!hasStatus(bet)) return false;
  if (result === undefined) return voidReason !== null && close === null && pays('REFUNDED', bet.amount);
  if (voidReason !== null || open === null || close === null) return false;
  if (result === 'DRAW') return close === open && pays('DRAW', bet.amount);
  if (result !== (close > open ? 'UP' : 'DOWN') || close === open) return false;
  return result === bet.prediction ? pays('WIN', bet.potentialPayout) : pays('LOSS', 0);
}

export function poolsAgree({ bet, orderProof, roundProof: round }: ProofEvidence): boolean {
  const [up, down] = [units(round.poolUp, 100), units(round.poolDown, 100)];
  const [seeds, volume] = [units(round.houseSeeds, 100), units(round.totalVolume, 100)];
  return (
    up > 0n &&
    down > 0n &&
    up + down === units(round.totalPool, 100) &&
    up + down === seeds + volume &&
    units(bet.amount, 100) <= volume &&
    round.totalBets === orderProof.root.treeSize
  );
}

/** The odds are those of the bet's share of the pool, and a WIN pays by odds, stake and fee. */
export function payoutAgrees({ bet, roundProof: { fee } }: ProofEvidence): boolean {
  const [stake, odds] = [units(bet.amount, 100), units(bet.oddsAtBet, 10_000)];
  const kept = 10_000n - units(fee, 10_000);
  return (
    stake > 0n &&
    odds >= 10_000n &&
    kept > 0n &&
    units(bet.potentialPayout, 100) === (stake * odds * kept) / 100_000_000n &&
    isShare(units(bet.entryPercent ?? 0, 100), odds)
  );
}

/** The odds are rounded down, the share of the pool to the nearest hundredth of a percent. */
const isShare = (percentE2: bigint, oddsE4: bigint): boolean =>
  (2n * percentE2 - 1n) * oddsE4 <= 200_000_000n && (2n * percentE2 + 1n) * (oddsE4 + 1n) >= 200_000_000n;

const isLate = ({ orderProof, roundProof }: ProofEvidence): boolean =>
  ms(orderProof.root.publishedAt) >= ms(roundProof.endTime);

export const rootIsTimely = (evidence: ProofEvidence): boolean => {
  const { lockTime, settledAt, rootInTime } = evidence.roundProof;
  const publishedMs = ms(evidence.orderProof.root.publishedAt);
  return inOrder(ms(lockTime), publishedMs, ms(settledAt)) && rootInTime === !isLate(evidence);
};

/** Each key was in use when it signed: at the lock, and after the settlement. */
export function keysAgree({ orderProof, roundProof, keys }: ProofEvidence): boolean {
  const wasInUse = (id: string, fromMs: number, toMs: number): boolean => {
    const key = keys.find((one) => one.keyId === id);
    return key !== undefined && ms(key.createdAt) <= toMs && fromMs <= ms(key.retiredAt ?? '9999-12-31');
  };
  const publishedMs = ms(orderProof.root.publishedAt);
  return (
    wasInUse(orderProof.root.keyId, publishedMs, publishedMs) &&
    wasInUse(roundProof.statement.keyId, ms(roundProof.settledAt), Number.POSITIVE_INFINITY)
  );
}

/**
 * A valid proof leaves these open. `lateRoot`: the root came after the round's end, so the bets may have been chosen
 * with the result known. `oldPrice`: a price was older at its boundary than servers take by default.
 */
export type ProofWarning = 'lateRoot' | 'oldPrice';

export function warningsOf(evidence: ProofEvidence): ProofWarning[] {
  const { open, close, startTime, endTime } = evidence.roundProof;
  const isOld = (at: string | null, boundary: string): boolean =>
    at !== null && ms(boundary) - ms(at) > USUAL_PRICE_AGE_MS;
  const isAnyOld = isOld(open.time, startTime) || (close.price !== null && isOld(close.time, endTime));
  return [...(isLate(evidence) ? ['lateRoot' as const] : []), ...(isAnyOld ? ['oldPrice' as const] : [])];
}
