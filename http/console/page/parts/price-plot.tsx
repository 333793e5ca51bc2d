/** The price line of an asset: the last hour, and on from there as the stream tells. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PriceHistoryResource } from '../../../operator/figures/price-history.js';
import { priceText, timeText } from '../state/format.js';
import { live } from '../state/live.js';
import type { MarketNow } from '../state/markets.js';
import { useLoaded } from './loaded.js';
import { Plot } from './plot.js';

/** A page that stays open shows no more than two hours of seconds. */
const POINTS_MAX = 7_200;

interface Point {
  readonly timeMs: number;
  readonly price: number;
}

export function PricePlot({ market }: { readonly market: MarketNow }): JSX.Element | null {
  const { data } = useLoaded<PriceHistoryResource>(`/prices/${market.asset}/history`);
  const points = usePoints(data, market.price);
  const first = points[0];
  if (first === undefined) return null;
  const { round } = market;
  const prices = points.map(({ price }) => price);
  const open = points.map(({ timeMs }) =>
    round !== null && timeMs >= round.startMs ? round.openPrice : null,
  );
  const [low, high] = [Math.min(...prices), Math.max(...prices)].map(priceText);
  return (
    <Plot
      title={`${priceText(prices.at(-1))} now`}
      summary={`Between ${low} and ${high} since ${timeText(first.timeMs).slice(11, 16)} UTC.`}
      times={points.map(({ timeMs }) => timeMs / 1_000)}
      lines={[
        { name: 'Price', color: '--line-1', values: prices },
        { name: 'Open price of the round', color: '--line-2', values: open, isDashed: true },
      ]}
      format={priceText}
      isRanged={true}
    />
  );
}

/** The server's history, and each price that came since. */
function usePoints(history: PriceHistoryResource | null, price: number | null): readonly Point[] {
  const [points, setPoints] = useState<readonly Point[]>([]);
  const timeMs = live.value?.timeMs ?? 0;
  const newestMs = useRef(0);
  useEffect(() => {
    if (history === null) return;
    setPoints(history.timesMs.map((noted, at) => ({ timeMs: noted, price: history.prices[at] as number })));
    newestMs.current = history.timesMs.at(-1) ?? 0;
  }, [history]);
  useEffect(() => {
    if (price === null || timeMs <= newestMs.current) return;
    newestMs.current = timeMs;
    setPoints((before) => [...before.slice(1 - POINTS_MAX), { timeMs, price }]);
  }, [price, timeMs]);
  return points;
}
