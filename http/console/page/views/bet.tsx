/** One bet: its terms, its course, its money and its proof. */
import type { JSX } from 'preact';
import type { OrderTrace } from '../../../../engine/model/operators.js';
import type { BetResource } from '../../../operator/bets.js';
import { Figures, Ref, Section } from '../parts/basics.js';
import { odds, stateBadge } from '../parts/bets.js';
import { Table } from '../parts/list.js';
import { type Shows, useLoaded } from '../parts/loaded.js';
import { paid, timeText } from '../state/format.js';

export function BetView({ of: bet }: Shows<BetResource>): JSX.Element {
  const { id, amount, entryPercent, potentialPayout, payout, profit } = bet;
  const steps = [
    { step: bet.isLimitOrder ? 'Limit order placed' : 'Placed', time: bet.placedAt, dollars: -amount },
    { step: 'Filled', time: bet.filledAt, dollars: null },
    {
      step: payout === null ? 'Stake given back' : 'Settled',
      time: bet.settledAt,
      dollars: payout ?? amount,
    },
  ];
  return (
    <>
      <Figures
        of={{
          State: stateBadge(bet),
          Side: bet.prediction,
          Stake: paid(amount),
          Odds: odds(bet),
          Profit: bet.settledAt === null ? `pays ${paid(potentialPayout)} if it wins` : paid(profit),
          Account: <Ref id={bet.accountId} />,
          Market: <Ref id={bet.marketId} />,
          Round: <Ref id={bet.roundId} />,
          "Its side's share of the pool": entryPercent === null ? '–' : `${entryPercent} %`,
          clientOrderId: bet.clientOrderId ?? '–',
        }}
      />
      <Section title="Money">
        <Table
          caption="Money"
          rows={steps.filter(({ time }) => time !== null)}
          columns={[
            ['Step', ({ step }) => step],
            ['Time', ({ time }) => timeText(time)],
            ['#To the account', ({ dollars }) => paid(dollars)],
          ]}
        />
      </Section>
      <Stages id={id} />
      <Section title="Proof">
        <p>
          Its owner proves it with <code>npx tote verify-bet</code>; on the server{' '}
          <code>npx tote bet {id}</code> shows its proof.
        </p>
        <p class="quiet">Client seed: {bet.clientSeed ?? 'none'}</p>
      </Section>
    </>
  );
}

function Stages({ id }: Pick<BetResource, 'id'>): JSX.Element {
  const { data, error } = useLoaded<OrderTrace>(`/orders/trace?id=${id}`);
  return (
    <Section title="Stages of its order">
      <Table
        caption="Stages of its order"
        rows={data?.stages ?? []}
        empty={error || 'Loading …'}
        columns={[
          ['Stage', ({ stage }) => stage],
          ['#Took', ({ tookMs }) => `${tookMs.toFixed(2)} ms`],
          ['#After', ({ atMs }) => `${atMs.toFixed(2)} ms`],
        ]}
      />
    </Section>
  );
}
