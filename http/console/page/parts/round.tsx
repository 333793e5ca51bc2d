/** A round in few words: what it is doing, and how its pool is split. */
import type { JSX } from 'preact';
import { percentUp, type RoundNow } from '../state/markets.js';
import { Badge } from './basics.js';

export function RoundBadge({
  round,
  nowMs,
}: {
  readonly round: RoundNow | null;
  readonly nowMs: number;
}): JSX.Element {
  if (round === null) return <Badge tone="plain">no round</Badge>;
  if (round.status !== 'LIVE') return <Badge tone="plain">{round.status.toLowerCase()}</Badge>;
  return nowMs < round.bettingClosesMs ? (
    <Badge tone="good">taking bets</Badge>
  ) : (
    <Badge tone="warn">bets closed</Badge>
  );
}

/** UP's share of the pool as a bar and a number. */
export function ShareBar({ round }: { readonly round: RoundNow }): JSX.Element {
  const percent = percentUp(round);
  return (
    <span class="share">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="down" width="100" height="10" />
        <rect class="up" width={percent} height="10" />
      </svg>
      {percent.toFixed(1)}%
    </span>
  );
}
