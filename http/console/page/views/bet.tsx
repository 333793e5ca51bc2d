/** One bet: its terms, its course, its money and its proof. And one key, which is shorter. */
import type { JSX } from 'preact';
import type { OrderTrace } from '../../../../engine/model/operators.js';
import type { KeyResource } from '../../../operator/resources/accounts.js';
import type { BetResource } from '../../../operator/resources/bets.js';
import { Figure, Figures, Ref, Table } from '../parts/basics.js';
import { BetBadge, Odds } from '../parts/lists.js';
import { Asked, useLoaded } from '../parts/loaded.js';
import { isoTimeText, paid } from '../state/format.js';
import { keyTable } from './account.js';

export const BetView = ({ id }: { readonly id: string }): JSX.Element => (
  <>
    <h1>{id}</h1>
    <Asked<BetResource> path={`/bets/${encodeURIComponent(id)}`} everyMs={5_000}>
      {(bet) => <Bet bet={bet} />}
    </Asked>
  </>
);

function Bet({ bet }: { readonly bet: BetResource }): JSX.Element {
  const { id, accountId, marketId, roundId, prediction, amount, entryPercent, potentialPayout } = bet;
  const { placedAt, filledAt, settledAt, isLimitOrder, payout, profit, clientOrderId, clientSeed } = bet;
  const steps = [
    [isLimitOrder ? 'Limit order placed' : 'Placed', placedAt, -amount],
    ...(filledAt === null ? [] : [['Filled', filledAt, null] as const]),
    ...(settledAt === null ? [] : [['Settled', settledAt, payout] as const]),
  ] as const;
  return (
    <>
      <Figures>
        <Figure name="State">
          <BetBadge bet={bet} />
        </Figure>
        <Figure name="Side">{prediction}</Figure>
        <Figure name="Stake">{paid(amount)}</Figure>
        <Figure name="Odds">
          <Odds bet={bet} />
        </Figure>
        <Figure name="Profit">
          {profit === null ? `pays ${paid(potentialPayout)} if it wins` : paid(profit)}
        </Figure>
        <Figure name="Account">
          <Ref id={accountId} />
        </Figure>
        <Figure name="Market">
          <Ref id={marketId} />
        </Figure>
        <Figure name="Round">
          <Ref id={roundId} />
        </Figure>
        <Figure name="UP of the pool, at entry">{entryPercent === null ? '–' : `${entryPercent} %`}</Figure>
        <Figure name="clientOrderId">{clientOrderId ?? '–'}</Figure>
      </Figures>
      <section>
        <h2>Money</h2>
        <Table
          caption="Money"
          rows={steps}
          columns={[
            ['Step', ([step]) => step],
            ['Time', ([, time]) => isoTimeText(time)],
            ['#To the account', ([, , dollars]) => paid(dollars)],
          ]}
          keyOf={([step]) => step}
        />
      </section>
      <Stages id={id} />
      <section>
        <h2>Proof</h2>
        <p>
          Its owner proves it with <code>npx tote verify-bet</code>; on the server{' '}
          <code>npx tote bet {id}</code> shows its proof.
        </p>
        <p class="quiet">Client seed: {clientSeed ?? 'none'}</p>
      </section>
    </>
  );
}

function Stages({ id }: Pick<BetResource, 'id'>): JSX.Element {
  const { data, error } = useLoaded<OrderTrace>(`/orders/trace?id=${id}`);
  return (
    <section>
      <h2>Stages of its order</h2>
      {data === null ? (
        <p class="quiet">{error || 'Loading …'}</p>
      ) : (
        <Table
          caption="Stages of its order"
          rows={data.stages}
          columns={[
            ['Stage', ({ stage }) => stage],
            ['#Took', ({ tookMs }) => `${tookMs.toFixed(2)} ms`],
            ['#After', ({ atMs }) => `${atMs.toFixed(2)} ms`],
          ]}
          keyOf={({ stage }) => stage}
        />
      )}
    </section>
  );
}

export const KeyView = ({ id }: { readonly id: string }): JSX.Element => (
  <>
    <h1>{id}</h1>
    <Asked<KeyResource> path={`/keys/${encodeURIComponent(id)}`}>
      {(key, reload) => (
        <>
          <p>
            It is a key of <Ref id={key.accountId} />.
          </p>
          {keyTable([key], reload)}
        </>
      )}
    </Asked>
  </>
);
