/**
 * The audit of a server that somebody else runs, through the public API with the bettors' own keys: each acknowledged
 * order is in the list and in the ledger of its account, and each balance is what the ledger adds up to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { eachOf, type LedgerEntry, toCents } from '../../client/index.js';
import { must } from '../../engine/base/assert.js';
import type { Answers } from '../client/answers.js';
import { inParallel, type Player, reasonOf } from './accounts.js';

const PAGE = 200;
const BALANCE_TRIES = 20;
const BALANCE_TRY_GAP_MS = 250;

/** Where an account's lists ended before the run. */
export type Mark = Awaited<ReturnType<typeof markAccounts>>[number];

export async function markAccounts(players: readonly Player[]) {
  const one = new Map(players.map((player) => [player.account.id, player]));
  return inParallel([...one.values()], async (player) => {
    const [orders, ledger] = await Promise.all([
      player.client.listOrders({ limit: 1 }),
      player.client.getLedger({ limit: 1 }),
    ]);
    return { player, order: orders.data[0]?.id ?? null, entry: ledger.data[0] ?? null };
  });
}

/** No answer has named `unnamed` orders of the accounts: answers were lost, or others use the accounts. */
export type Audit = Awaited<ReturnType<typeof auditAccounts>>;

/** A server that does not answer fails the audit: the figures stand without it. */
export async function auditAccounts(
  marks: readonly Mark[],
  answers: Answers,
  accountOf: (template: number) => string | undefined,
  stakeCents: number,
  progress: (text: string) => void,
) {
  const faults: string[] = [];
  let [done, found, unnamed] = [0, 0, 0];
  const auditOne = async (mark: Mark): Promise<void> => {
    const orders = await ordersSince(mark);
    const { stakes, fault } = await ledgerSince(mark);
    if (fault !== null) faults.push(fault);
    for (const [id, cents] of orders) {
      const template = answers.templateOf(numberOf(id));
      if (template === null) {
        unnamed += 1;
        continue;
      }
      found += 1;
      const [own, owner] = [mark.player.account.id, accountOf(template)];
      if (owner !== own) faults.push(`${id} was acknowledged to ${owner}, and is in the list of ${own}`);
      const paid = stakes.get(id);
      if (cents !== stakeCents)
        faults.push(`${id} has a stake of ${cents} cents, ordered were ${stakeCents}`);
      if (paid !== -stakeCents)
        faults.push(`the ledger has ${paid ?? 'no'} cents for ${id}, expected ${-stakeCents}`);
    }
    done += 1;
    progress(`audited ${done} of ${marks.length} accounts`);
  };
  try {
    await inParallel(marks, (mark) =>
      auditOne(mark).catch((error) => {
        throw new Error(`${mark.player.account.id}: ${reasonOf(error)}`);
      }),
    );
  } catch (error) {
    faults.push(`${done} of ${marks.length} accounts could be read: ${reasonOf(error)}`);
    return { accounts: marks.length, found, unnamed, faults };
  }
  const { distinct, repeated } = answers.record().numbers;
  if (repeated > 0) faults.push(`${repeated} answers name an order that another answer has named`);
  if (found !== distinct)
    faults.push(`${distinct} orders were acknowledged, ${found} of them are in the lists`);
  return { accounts: marks.length, found, unnamed, faults };
}

const numberOf = (id: string): number => Number(id.slice(id.indexOf('_') + 1));

async function ordersSince({ player, order }: Mark): Promise<Map<string, number>> {
  const orders = new Map<string, number>();
  for await (const { id, amount } of eachOf((page) => player.client.listOrders({ limit: PAGE, ...page }))) {
    if (id === order) break;
    orders.set(id, toCents(amount));
  }
  return orders;
}

/** The first movement of each order since the mark, and whether the ledger adds up to the balance. */
async function ledgerSince({ player: { client, account }, entry: before }: Mark) {
  const stakes = new Map<string, number>();
  let sumCents = 0;
  let newest: LedgerEntry | null = null;
  for await (const entry of eachOf((page) => client.getLedger({ limit: PAGE, ...page }))) {
    if (entry.id === before?.id) break;
    newest ??= entry;
    sumCents += toCents(entry.amount);
    if (entry.type === 'stake')
      stakes.set(must(entry.orderId, 'the order of a stake'), toCents(entry.amount));
  }
  const expected = toCents(before?.balanceAfter ?? 0) + sumCents;
  const after = toCents((newest ?? before)?.balanceAfter ?? 0);
  const fault =
    after === expected
      ? await balanceFault(client, account.id)
      : `the ledger of ${account.id} adds up to ${expected} cents, and ends with ${after}`;
  return { stakes, fault };
}

/** The balance must be the ledger's last; both move when a round is settled between the two questions. */
async function balanceFault(client: Player['client'], id: string): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    const { balance } = await client.getAccount();
    const { data } = await client.getLedger({ limit: 1 });
    const last = data[0]?.balanceAfter ?? 0;
    if (balance === last) return null;
    if (tries === BALANCE_TRIES) return `${id} has ${balance} USD, and its ledger ends with ${last}`;
    await pause(BALANCE_TRY_GAP_MS);
  }
}
