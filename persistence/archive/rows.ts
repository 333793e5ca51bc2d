/**
 * The archive's rows, from the events of accepted commands. A bet's placement and its end are rows of their own, and
 * neither is ever changed.
 */
import { must } from '../../engine/base/assert.js';
import type { Cell, RowsText } from '../../engine/base/rows-text.js';
import type { EngineReads } from '../../engine/engine.js';
import { encodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import { BET_ENDS, marketId, NO_LIMIT, ROUND_RESULTS, roundId, textAt } from '../../engine/model/domain.js';
import type {
  BalanceMoved,
  BetPlaced,
  BetSettled,
  EngineEvent,
  OrderFilled,
  OrderPending,
  RoundChanged,
} from '../../engine/model/events.js';
import {
  type ActionFields,
  type ActionKind,
  isOperatorCommand,
  type OperatorCommand,
  type RefusedAt,
} from '../../engine/model/operators.js';
import { valuesOf } from '../../engine/model/rules.js';
import type { BetView, RoundView } from '../../engine/model/views.js';
import { unfinishedRounds } from '../../engine/reads/round-bets.js';
import { HOUSE } from '../../engine/state/house.js';
import type { Rest } from '../thread/pace.js';
import { BET_END_WORDS, MARKET_WORDS, SIDE_WORDS, type SingleKind, withChecksum } from './columns.js';

export interface BetTaker {
  /** Begins the text of a row; `common` are the cells behind it that its block has once. */
  begin(bet: number, account: number, common: readonly Cell[]): RowsText;
}

/** Cells are in the order of `columns.ts`. */
export type RowTakers = Readonly<
  Record<'bets' | 'betsSettled', BetTaker> & Record<SingleKind, { push(row: Cell[]): unknown }>
>;

const NOTHING_COMMON: readonly Cell[] = [];

/** `forward` is a balance with which the archive begins: it stands for all entries before. */
export interface ArchivedMove extends Omit<BalanceMoved, 'reason'> {
  readonly reason: BalanceMoved['reason'] | 'forward';
}

export class ArchiveRows {
  /** Unsettled rounds. A view stays valid after the engine has dropped the round. */
  readonly #rounds = new Map<string, RoundView>();

  constructor(private readonly engine: EngineReads) {
    for (const round of unfinishedRounds(engine)) this.#watch(round);
  }

  /** `command` has the number `seq` and is the engine's last. */
  add(rows: RowTakers, seq: number, command: Command, events: readonly EngineEvent[]): void {
    if (isOperatorCommand(command)) rows.actions.push(actionRow(seq, command, this.engine));
    for (let item = 0; item < events.length; item++) {
      const event = events[item] as EngineEvent;
      switch (event.type) {
        case 'betPlaced':
        case 'orderPending':
          writePlaced(rows.bets, seq, event);
          break;
        case 'orderFilled':
          rows.limitSteps.push(filledRow(seq, item, event));
          break;
        case 'betSettled':
          if (event.rested) rows.limitSteps.push(endedRow(seq, item, event));
          else writeSettled(rows.betsSettled, seq, item, event);
          break;
        case 'balanceMoved':
          rows.transfers.push(transferRow(seq, item, event));
          break;
        case 'roundUpcoming':
        case 'roundOpened':
          this.#watch(this.engine.round(event.market, event.roundNumber));
          break;
        case 'roundNotOpened':
          this.#rounds.delete(roundId(event.market, event.roundNumber));
          break;
        case 'roundSettled':
          this.#addRound(rows, seq, event);
          break;
        default:
          break; // nothing of these leaves memory
      }
    }
  }

  /** For an archive that begins at a snapshot: the balances, and the open bets as the engine knows them. */
  addBeginning(rows: RowTakers, rest: Rest): void {
    this.#addBalances(rows, rest);
    const open: { readonly account: number; readonly bet: BetView }[] = [];
    for (let account = 1; account <= this.engine.accountCount; account++) {
      for (const bet of this.engine.openPositions(account)) {
        open.push({ account, bet });
        rest();
      }
    }
    open.sort((one, other) => one.bet.bet - other.bet.bet);
    for (const { account, bet } of open) {
      writeOpenBet(rows.bets, account, bet);
      rest();
    }
  }

  /** The house's row is there without money, too: it tells when the archive begins. */
  #addBalances(rows: RowTakers, rest: Rest): void {
    const { seq, timeMs } = this.engine;
    for (let account = HOUSE; account <= this.engine.accountCount; account++) {
      const balanceCents =
        account === HOUSE
          ? this.engine.totals().houseCents
          : (this.engine.account(account)?.balanceCents ?? 0);
      if (account !== HOUSE && balanceCents === 0) continue;
      const moved = { timeMs, account, amountCents: balanceCents, balanceCents, reference: '' };
      rows.transfers.push(transferRow(seq, account, { type: 'balanceMoved', reason: 'forward', ...moved }));
      rest();
    }
  }

  #watch(round: RoundView | null): void {
    if (round !== null) this.#rounds.set(roundId(round.market, round.roundNumber), round);
  }

  #addRound(rows: RowTakers, seq: number, { market, roundNumber, timeMs }: RoundChanged): void {
    const id = roundId(market, roundNumber);
    const round = must(this.#rounds.get(id) ?? this.engine.round(market, roundNumber), id);
    this.#rounds.delete(id);
    rows.rounds.push(roundRow(seq, timeMs, round));
  }
}

function roundRow(seq: number, timeMs: number, round: RoundView): Cell[] {
  const { root, ...origins } = round.proof;
  return withChecksum([
    marketId(round.market),
    round.roundNumber,
    round.startTimeMs,
    round.lockTimeMs,
    round.endTimeMs,
    round.openPrice,
    round.closePrice,
    round.poolUpCents,
    round.poolDownCents,
    round.seedCents,
    round.feeBps,
    round.betCount,
    round.volumeCents,
    textAt(ROUND_RESULTS, round.result),
    round.voidReason,
    must(round.resolvedAtMs, 'time of the result'),
    seq,
    timeMs,
    root?.merkleRoot ?? null,
    root?.treeSize ?? null,
    root?.keyId ?? null,
    root?.signature ?? null,
    root?.publishedAtMs ?? null,
    JSON.stringify(origins),
  ]);
}

function writePlaced(bets: BetTaker, seq: number, event: BetPlaced | OrderPending): void {
  const isPending = event.type === 'orderPending';
  const row = bets.begin(event.bet, event.account, NOTHING_COMMON);
  row.word(MARKET_WORDS, event.market);
  row.cell(event.roundNumber);
  row.word(SIDE_WORDS, event.side);
  row.cell(event.stakeCents);
  row.cell(event.oddsE4);
  row.cell(isPending ? null : event.entryPercentE2);
  row.cell(event.payoutCents);
  row.cell(seq);
  row.cell(event.timeMs);
  row.cell(event.newBalanceCents);
  row.cell(event.clientSeed);
  writeRare(row, event, isPending, isPending ? event.validUntilMs || null : null);
}

function writeRare(
  row: RowsText,
  { limitOddsE4, clientOrderId }: Pick<BetView, 'limitOddsE4' | 'clientOrderId'>,
  rested: boolean,
  validUntilMs: number | null,
): void {
  const isLimit = limitOddsE4 !== NO_LIMIT;
  if (isLimit || clientOrderId !== null) {
    row.cell(isLimit ? limitOddsE4 : null);
    row.cell(isLimit ? Number(rested) : null);
    row.cell(isLimit ? validUntilMs : null);
  }
  if (clientOrderId !== null) row.cell(clientOrderId);
}

/** An order that has rested has the odds that it names, as in its placement: a fill has its own row. */
function writeOpenBet(bets: BetTaker, account: number, bet: BetView): void {
  const row = bets.begin(bet.bet, account, NOTHING_COMMON);
  row.word(MARKET_WORDS, bet.market);
  row.cell(bet.roundNumber);
  row.word(SIDE_WORDS, bet.side);
  for (const cell of [bet.stakeCents, bet.oddsE4, null, bet.payoutCents, null, bet.placedAtMs, null, null])
    row.cell(cell);
  writeRare(row, bet, bet.rested, bet.validUntilMs);
}

function filledRow(seq: number, item: number, event: OrderFilled): Cell[] {
  const { timeMs, bet, account, roundNumber, oddsE4, entryPercentE2, payoutCents, newBalanceCents } = event;
  const market = marketId(event.market);
  const cells = [seq, item, timeMs, bet, account, market, roundNumber, 'FILLED', oddsE4, entryPercentE2];
  return withChecksum([...cells, payoutCents, newBalanceCents]);
}

function endedRow(seq: number, item: number, event: BetSettled): Cell[] {
  const { timeMs, bet, account, roundNumber, payoutCents, newBalanceCents } = event;
  const [market, end] = [marketId(event.market), textAt(BET_ENDS, event.result)];
  const cells = [seq, item, timeMs, bet, account, market, roundNumber, end, null, null, payoutCents];
  return withChecksum([...cells, newBalanceCents]);
}

function writeSettled(settled: BetTaker, seq: number, item: number, event: BetSettled): void {
  const { bet, account, result, payoutCents, newBalanceCents, market, roundNumber, timeMs } = event;
  const row = settled.begin(bet, account, [seq, marketId(market), roundNumber, timeMs]);
  row.word(BET_END_WORDS, result);
  row.cell(payoutCents);
  row.cell(item);
  row.cell(newBalanceCents);
}

function transferRow(seq: number, item: number, event: ArchivedMove): Cell[] {
  const { timeMs, account, amountCents, balanceCents, reason, reference } = event;
  return withChecksum([seq, item, timeMs, account, amountCents, balanceCents, reason, reference]);
}

/** Counts after the command: an account or key that it made has the last number. */
type Numbered = Pick<EngineReads, 'accountCount' | 'keyCount'>;

/** Not shown: the digest of a key's secret, and rules, since `ruleFacts` has those that are no default. */
const LEFT_OUT = ['by', 'digest', 'rules'];

function actionRow(seq: number, command: OperatorCommand, counts: Numbered): Cell[] {
  const { by, kind, timeMs } = command;
  const [, , , fields] = JSON.parse(encodeCommand(command)) as [string, number, number, object];
  const shown = Object.entries(fields).filter(([name]) => !LEFT_OUT.includes(name));
  const own = 'reason' in command ? command.reason : '';
  const facts = {
    ...Object.fromEntries(shown),
    ...madeBy(command, counts),
    ...ruleFacts(command),
    reason: by?.reason || own,
  };
  return row(seq, 0, timeMs, kind, by?.operator ?? null, facts);
}

function madeBy({ kind }: OperatorCommand, { accountCount, keyCount }: Numbered): Pick<ActionFields, 'made'> {
  if (kind === 'createAccount') return { made: accountCount };
  return kind === 'createKey' || kind === 'rotateKey' ? { made: keyCount } : {};
}

function ruleFacts(command: OperatorCommand): Pick<ActionFields, 'file' | 'changes'> {
  if (command.kind !== 'configure') return {};
  const { file = {}, operator = {} } = command.rules.layers ?? {};
  return { file: valuesOf(file), changes: valuesOf(operator) };
}

export function refusalRows(seq: number, last: number, { timeMs, denials, guesses }: RefusedAt): Cell[][] {
  const reason = '';
  const rows: Cell[][] = [];
  const add = (kind: ActionKind, operator: string | null, facts: Omit<ActionFields, 'reason'>): unknown =>
    rows.push(row(seq, last + rows.length + 1, timeMs, kind, operator, { reason, ...facts }));
  for (const { operator, ...denial } of denials) add('roleDenied', operator, denial);
  if (guesses !== null) add('tokenRefused', null, guesses);
  return rows;
}

function row(
  seq: number,
  item: number,
  timeMs: number,
  kind: ActionKind,
  operator: string | null,
  facts: ActionFields,
): Cell[] {
  // JSON escapes half a surrogate pair, which SQLite could not keep.
  return withChecksum([seq, item, timeMs, kind, operator, JSON.stringify(facts)]);
}
