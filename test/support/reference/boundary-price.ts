/** The price of a round's boundary on a plain list of ticks, as docs/bots/concepts.md has the rule. */

export const GRACE_MS = 2_000;

/**
 * The tick with the greatest time at or before the boundary among those that had arrived when the price became final,
 * the last to arrive among equals; null without one, undefined while the price is not final. A tick from after the
 * boundary, or the end of the grace, makes it final. Ticks of a boundary from before the start may come in any order
 * until the grace, which then runs from the start.
 */
export function boundaryTick<T extends { readonly timeMs: number; readonly arrivedMs: number }>(
  ticks: readonly T[],
  boundaryMs: number,
  startMs: number,
  nowMs: number,
): T | null | undefined {
  const isPast = boundaryMs <= startMs;
  const graceEndsMs = (isPast ? startMs : boundaryMs) + GRACE_MS;
  let best: T | null = null;
  let isFinal = nowMs >= graceEndsMs;
  for (const tick of ticks) {
    if (tick.arrivedMs >= graceEndsMs) break;
    if (tick.timeMs > boundaryMs) {
      if (isPast) continue;
      isFinal = true;
      break;
    }
    if (best === null || tick.timeMs >= best.timeMs) best = tick;
  }
  return isFinal ? best : undefined;
}
