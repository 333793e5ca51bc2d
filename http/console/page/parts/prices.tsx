/** The sources of prices, and the prices' age. */
import type { JSX } from 'preact';
import { duration, priceText } from '../state/format.js';
import { Badge, Table } from './basics.js';

/** Rounds are voided where the price at their end is older. */
const OLD_MS = 10_000;

interface Source {
  readonly name: string;
  /** By asset that it prices; null until enough prices have come. */
  readonly latenessMs: ByAsset<number | null>;
}

type ByAsset<T> = Readonly<Record<string, T>>;

/** The part of `GET /status` that is shown here. */
export interface ServerStatus {
  readonly feed: {
    readonly name: string;
    readonly sources: readonly Source[];
    readonly ticks: ByAsset<{
      readonly price: number;
      readonly ageMs: number;
      readonly source: string;
    } | null>;
    /** An operator has to decide about these prices. */
    readonly held: ByAsset<{ readonly price: number; readonly source: string; readonly since: string }>;
    /** Rounds wait for these prices. */
    readonly awaited: readonly {
      readonly crypto: string;
      readonly boundary: string;
      readonly until: string;
    }[];
  };
}

export function Prices({ feed }: ServerStatus): JSX.Element {
  const { name, sources, ticks, held } = feed;
  const known = Object.entries(ticks).flatMap(([crypto, tick]) =>
    tick === null ? [] : [{ crypto, ...tick }],
  );
  const missing = Object.keys(ticks).filter((crypto) => ticks[crypto] === null);
  return (
    <>
      <Table
        caption="Prices"
        rows={known}
        columns={[
          ['Asset', ({ crypto }) => crypto],
          [
            '#Price',
            ({ crypto, price }) => (
              <>
                {crypto in held && <Badge tone="warn">held back</Badge>} {priceText(price)}
              </>
            ),
          ],
          ['#Age', ({ ageMs }) => <Age ms={Math.max(0, ageMs)} />],
          ['Source', ({ source }) => source],
          ['Lateness', ({ crypto }) => latenessText(sources, crypto)],
        ]}
        keyOf={({ crypto }) => crypto}
      />
      <p class="quiet">
        The feed is {name}.{missing.length > 0 && ` No price has come of ${missing.join(', ')}.`}
      </p>
    </>
  );
}

/** By source. */
function latenessText(sources: readonly Source[], crypto: string): string {
  const measured = sources.flatMap(({ name, latenessMs: { [crypto]: ms } }) =>
    typeof ms === 'number' ? [`${name} ${duration(ms)}`] : [],
  );
  return measured.join(', ') || '–';
}

const Age = ({ ms }: { readonly ms: number }): JSX.Element | string =>
  ms > OLD_MS ? <Badge tone="warn">{duration(ms)}</Badge> : duration(ms);
