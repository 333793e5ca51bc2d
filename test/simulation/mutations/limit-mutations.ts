/** Planted bugs of orders that rest and of the roots of rounds. */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { NO_END } from '../../../engine/model/domain.js';
import type { HashedBet } from '../../../engine/model/events.js';
import type { RoundView } from '../../../engine/model/views.js';
import { WholeTree } from '../../../engine/proofs/merkle.js';
import { RoundBets } from '../../../engine/reads/round-bets.js';
import { AccountTable } from '../../../engine/state/accounts.js';
import { LimitBooks } from '../../../engine/state/limit-books.js';
import { LimitTable } from '../../../engine/state/limit-table.js';
import { LimitTree } from '../../../engine/state/limit-tree.js';
import type { WorldConfig } from '../config.js';
import { both, exchange, type Mutation, planted } from './planting.js';

/** The last of an odd number of bets has a sibling once more in its path, as it has in other kinds of trees. */
const lastTwice = (): (() => void) =>
  exchange(WholeTree.prototype, 'path', (self, real, index) => {
    const isAlone = self.size % 2 === 1 && index === self.size - 1;
    const path = real(index);
    return isAlone ? [...path.slice(0, 1), ...path] : path;
  });

/** Few orders rest, and few of them are filled. */
const OFTEN = 4;
/** Below limits of 10. */
const STEP_E4 = 100;
/** Less than an order that has expired may rest on. */
const LATE_MS = 3_000;

/** One order in four is filled at odds a step below its limit. */
function fillBelow(): () => void {
  return exchange(LimitTree.prototype, 'find', (self, real, root, search) => {
    const { table } = self as unknown as { table: LimitBooks['table'] };
    return real(root, {
      mayFit: (limitOddsE4, stakeCents) => search.mayFit(limitOddsE4 - STEP_E4, stakeCents),
      fits: (row) => {
        const chunk = table.chunk(row);
        const i = table.index(row);
        if ((chunk.bet[i] as number) % OFTEN !== 0) return search.fits(row);
        chunk.limitOddsE4[i] = (chunk.limitOddsE4[i] as number) - STEP_E4;
        const fits = search.fits(row);
        chunk.limitOddsE4[i] = (chunk.limitOddsE4[i] as number) + STEP_E4;
        return fits;
      },
    });
  });
}

type Changeable = { -readonly [Name in keyof RoundView]: RoundView[Name] };

/** Orders that rest are filled, and do not expire, until a while after bets are refused. */
function fillLate(): () => void {
  const longer = <T>(engine: Engine, market: number, run: () => T): T => {
    const round: Changeable | null = engine.currentRound(market);
    if (round === null) return run();
    round.bettingClosesMs += LATE_MS;
    try {
      return run();
    } finally {
      round.bettingClosesMs -= LATE_MS;
    }
  };
  const fillable = exchange(Engine.prototype, 'isFillable', (self, real, market, fairShareE6, timeMs) =>
    longer(self, market, () => real(market, fairShareE6, timeMs)),
  );
  const apply = exchange(Engine.prototype, 'apply', (self, real, command, gate, guards) => {
    if (command.kind !== 'fillOrders') return real(command, gate, guards);
    return longer(self, command.market, () => real(command, gate, guards));
  });
  return both(
    apply,
    fillable,
    expireLate((dueMs) => dueMs + LATE_MS),
  );
}

/** The host hears of another time at which orders expire. */
function expireLate(change: (dueMs: number) => number): () => void {
  const name = 'nextExpiryMs';
  const real = must(Object.getOwnPropertyDescriptor(Engine.prototype, name), name);
  Object.defineProperty(Engine.prototype, name, {
    ...real,
    get(this: Engine): number {
      return change(must(real.get, name).call(this) as number);
    },
  });
  return () => void Object.defineProperty(Engine.prototype, name, real);
}

/** Every fourth order rests until its round ends it, whatever end it names. */
const endIgnored = (): (() => void) =>
  exchange(LimitTable.prototype, 'take', (_self, real, row, bet, stakeCents, fields) =>
    real(row, bet, stakeCents, bet % OFTEN === 0 ? { ...fields, validUntilMs: NO_END } : fields),
  );

/** A fill takes the stake from the balance, though the order's resting has taken it already. */
function stakeTwice(): () => void {
  let takenCents = 0;
  const remove = exchange(LimitBooks.prototype, 'remove', (self, real, round, side, row) => {
    const { table } = self as unknown as { table: LimitBooks['table'] };
    const chunk = table.chunk(row);
    const i = table.index(row);
    takenCents = (chunk.bet[i] as number) % OFTEN === 0 ? (chunk.stakeCents[i] as number) : 0;
    real(round, side, row);
  });
  const touch = exchange(AccountTable.prototype, 'touch', (self, real, account, seq) => {
    real(account, seq);
    // Stakes that go back move a balance instead.
    if (takenCents > 0 && self.balanceCents(account) >= takenCents) self.move(account, -takenCents, seq);
    takenCents = 0;
  });
  return both(touch, remove);
}

/** A cancelled order's stake does not go back. */
function keepStake(): () => void {
  let isCancelling = false;
  const apply = exchange(Engine.prototype, 'apply', (_self, real, command, gate, guards) => {
    isCancelling = command.kind === 'cancelOrder' && command.bet % OFTEN === 0;
    const outcome = real(command, gate, guards);
    isCancelling = false;
    return outcome;
  });
  const move = exchange(AccountTable.prototype, 'move', (_self, real, account, cents, seq) =>
    real(account, isCancelling ? 0 : cents, seq),
  );
  return both(move, apply);
}

/** `change` may begin something, and returns its end. */
const atRestore = (change: () => (engine: Engine) => void): (() => void) =>
  exchange(Engine, 'fromTables', (_self, real, read) => {
    const end = change();
    const engine = real(read);
    end(engine);
    return engine;
  });

/** Orders that rest are in a snapshot, and in no search tree once it was read. */
function loseResting(): () => void {
  let isRestoring = false;
  const restore = atRestore(() => {
    isRestoring = true;
    return () => {
      isRestoring = false;
    };
  });
  const add = exchange(LimitBooks.prototype, 'add', (_self, real, round, side, row) => {
    if (!isRestoring) real(round, side, row);
  });
  return both(add, restore);
}

/** Two bets that are read one after the other change their places. */
function leavesSwapped(): () => void {
  const held = new WeakMap<RoundBets, HashedBet>();
  return exchange(RoundBets.prototype, 'next', (self, real) => {
    const first = held.get(self) ?? real();
    if (held.delete(self) || first === null) return first;
    const second = real();
    if (second !== null) held.set(self, first);
    return second ?? first;
  });
}

/** After a restart from a snapshot the leaves are in the order of the bets' numbers. */
const leavesByNumber = (): (() => void) =>
  atRestore(() => (engine) => {
    const real = engine.roundBets.bind(engine);
    engine.roundBets = (market, roundNumber) => byNumber(real(market, roundNumber));
  });

function byNumber(bets: RoundBets): RoundBets {
  const next = bets.next.bind(bets);
  let first: HashedBet[] | null = null;
  bets.next = () => {
    if (first === null) {
      first = [];
      for (let bet = next(); bet !== null; bet = next()) first.push(bet);
      first.sort((one, other) => one.bet - other.bet);
    }
    return first.shift() ?? next();
  };
  return bets;
}

/** It shows where orders rest. */
const ofLimits = (
  name: string,
  bug: string,
  install: () => () => void,
  isShown: (config: WorldConfig) => boolean = () => true,
  more: Pick<Mutation, 'seed'> = {},
): Mutation =>
  planted(name, bug, install, { canShow: (config) => config.limitTraders > 0 && isShown(config), ...more });

const expireNever = (): (() => void) => expireLate(() => Number.POSITIVE_INFINITY);

export const LIMIT_MUTATIONS: readonly Mutation[] = [
  ofLimits('limit-missed', 'an order is filled below its limit', fillBelow),
  ofLimits('fill-late', 'orders are filled after betting has closed', fillLate, (of) => of.isQuoting, {
    seed: 9,
  }),
  ofLimits('expire-never', 'orders rest on when betting has closed', expireNever),
  ofLimits('end-ignored', 'an order rests on after its validUntil', endIgnored),
  ofLimits('stake-twice', 'a fill takes a stake that was reserved already', stakeTwice),
  ofLimits('stake-kept', 'a cancelled order keeps its stake', keepStake),
  // With the whole journal such a snapshot is passed over.
  ofLimits('lose-resting', 'a snapshot loses an order that rests', loseResting, (of) => of.deletesJournal, {
    seed: 6,
  }),
  ofLimits('root-order', 'the leaves of a root are in another order', leavesSwapped),
  ofLimits(
    'root-restart',
    'a restart changes the order of the leaves',
    leavesByNumber,
    ({ snapshotEveryCommands }) => snapshotEveryCommands <= 1_000,
  ),
  planted('path-doubled', 'the last bet of an odd number is its own neighbour', lastTwice),
];
