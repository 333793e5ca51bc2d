/** The parts of a bet's proof: published data, and the bettor's own notes. */
import type { OrderProof, Position, RoundProof, SigningKey } from '../base/types.js';

/** The hashed fields of a bet, the hash, and the bet's end as far as it is known. */
export type HashedBet = Pick<
  Position,
  'id' | 'prediction' | 'amount' | 'oddsAtBet' | 'entryPercent' | 'potentialPayout' | 'placedAt' | 'betHash'
> &
  Partial<
    Pick<
      Position,
      'marketId' | 'crypto' | 'timeFrame' | 'filledAt' | 'result' | 'payout' | 'profit' | 'settledAt'
    >
  > & {
    readonly status?: string;
    readonly round?: Pick<Position['round'], 'id'> &
      Partial<Pick<Position['round'], 'roundNumber' | 'endTime'>>;
  };

/** A bettor has these once the round is settled. Facts noted earlier make the check worth more. */
export interface ProofEvidence {
  /** As in the answer to the order; as `getOrder` has it since the fill for a limit order that has rested. */
  readonly bet: HashedBet;
  /** As sent with the order; `placeOrder` tells it. */
  readonly clientSeed?: string | null | undefined;
  readonly orderProof: OrderProof;
  readonly roundProof: RoundProof;
  /** `listSigningKeys`, ideally as noted before the round. */
  readonly keys: readonly SigningKey[];
  /** `seedCommitment` as seen while the round was open. */
  readonly notedCommitment?: string | undefined;
  /** `merkleRoot` as the stream told it when the round locked. */
  readonly notedRoot?: string | undefined;
}
