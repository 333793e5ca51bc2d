/** Where prices come from, how old they are, and those that an operator has to decide about. */
import type { JSX } from 'preact';
import { confirmPrice } from '../actions/control.js';
import { Badge, Loading, Table } from '../parts/basics.js';
import { useLoaded } from '../parts/loaded.js';
import { duration, isoTimeText } from '../state/format.js';
import { may } from '../state/session.js';

const ASK_EVERY_MS = 5_000;
/** Rounds are voided where the price at their end is older. */
const OLD_MS = 10_000;

/** Of `GET /status`, what is shown here. */
interface FeedStatus {
  readonly feed: {
    readonly name: string;
    readonly sources: readonly Source[];
    readonly ticks: Readonly<Record<string, Tick | null>>;
    readonly held: Readonly<Record<string, Held>>;
    readonly awaited: readonly Awaited[];
  };
}
interface Source {
  readonly name: string;
  /** By asset that it prices; null until enough prices have come. */
  readonly latenessMs: Readonly<Record<string, number | null>>;
}
interface Tick {
  readonly price: number;
  readonly ageMs: number;
  readonly source: string;
}
interface Held {
  readonly price: number;
  readonly source: string;
  readonly since: string;
}
interface Awaited {
  readonly crypto: string;
  readonly boundary: string;
  readonly until: string;
}

export function Feed(): JSX.Element {
  const { data, error, reload } = useLoaded<FeedStatus>('/status', ASK_EVERY_MS);
  return (
    <section>
      <h2>Prices</h2>
      {data === null ? <Loading error={error} /> : <FeedSummary feed={data.feed} onDone={reload} />}
    </section>
  );
}

interface SummaryProps {
  readonly feed: FeedStatus['feed'];
  readonly onDone: () => void;
}

function FeedSummary({ feed: { name, sources, ticks, held, awaited }, onDone }: SummaryProps): JSX.Element {
  return (
    <>
      <p>The feed is {name}.</p>
      {awaited.length > 0 && (
        <ul>
          {awaited.map(({ crypto, boundary, until }) => (
            <li key={`${crypto} ${boundary}`}>
              Rounds of {crypto} wait for the price at {isoTimeText(boundary)}; it is taken until{' '}
              {isoTimeText(until)}.
            </li>
          ))}
        </ul>
      )}
      <Table
        caption="Prices"
        rows={Object.entries(ticks)}
        columns={[
          ['Asset', ([crypto]) => crypto],
          ['#Price', ([, tick]) => tick?.price ?? '–'],
          ['#Age', ([, tick]) => <Age tick={tick} />],
          ['~Source', ([, tick]) => tick?.source ?? '–'],
          ['~Lateness', ([crypto]) => latenessText(sources, crypto)],
          [
            'Held back',
            ([crypto, tick]) => (
              <HeldPrice crypto={crypto} held={held[crypto]} last={tick?.price ?? null} onDone={onDone} />
            ),
          ],
        ]}
        keyOf={([crypto]) => crypto}
      />
    </>
  );
}

/** How late each source's prices of the asset arrive. */
function latenessText(sources: readonly Source[], crypto: string): string {
  const measured = sources.flatMap(({ name, latenessMs: { [crypto]: ms } }) =>
    typeof ms === 'number' ? [`${name} ${duration(ms)}`] : [],
  );
  return measured.join(', ') || '–';
}

function Age({ tick }: { readonly tick: Tick | null }): JSX.Element {
  if (tick === null) return <span>–</span>;
  const text = duration(Math.max(0, tick.ageMs));
  return tick.ageMs > OLD_MS ? <Badge tone="warn">{text}</Badge> : <span>{text}</span>;
}

interface HeldProps {
  readonly crypto: string;
  readonly held: Held | undefined;
  readonly last: number | null;
  readonly onDone: () => void;
}

function HeldPrice({ crypto, held, last, onDone }: HeldProps): JSX.Element {
  if (held === undefined) return <span>–</span>;
  return (
    <>
      {held.price} from {held.source} since {isoTimeText(held.since)}{' '}
      {may('admin') && (
        <button type="button" onClick={() => confirmPrice(crypto, held.price, last, onDone)}>
          Confirm <span class="hidden">the price of {crypto}</span>
        </button>
      )}
    </>
  );
}
