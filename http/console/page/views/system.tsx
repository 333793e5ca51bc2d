/** The server itself: what is wrong and what to do, and its figures over the last hour. */
import type { JSX } from 'preact';
import type { Raised } from '../../../metrics/alarms.js';
import type { VitalName } from '../../../metrics/vitals.js';
import { Badge, Figure, Figures, Loading } from '../parts/basics.js';
import { Plot } from '../parts/plot.js';
import { useVitals, type VitalsNow } from '../parts/vitals.js';
import { bytes, count, duration, timeText } from '../state/format.js';
import { live } from '../state/live.js';
import { Feed } from './feed.js';
import { OneMachine } from './replication.js';

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
const percent = (value: number): string => `${Math.round(value)} %`;
const whole = (value: number): string => count(Math.round(value));
const seconds = (value: number): string => duration(value * 1_000);

const PLOTS: readonly VitalPlotSpec[] = [
  {
    title: 'Rates, a second',
    columns: [
      ['ordersPerSecond', 'orders'],
      ['requestsPerSecond', 'requests'],
      ['rateLimitedPerSecond', 'over a rate limit'],
      ['serverErrorsPerSecond', '5xx'],
    ],
    format: whole,
  },
  {
    title: 'Time of an order at the server',
    columns: [
      ['orderP50Ms', 'half below'],
      ['orderP99Ms', '99 % below'],
      ['orderMaxMs', 'longest'],
    ],
    format: ms,
  },
  {
    title: 'Where it goes: 99 % are below',
    columns: [
      ['orderRingP99Ms', 'ring'],
      ['orderEngineP99Ms', 'engine'],
      ['orderCommitP99Ms', 'commit'],
      ['orderReleaseP99Ms', 'release'],
    ],
    format: ms,
  },
  { title: "Longest turn of the engine's thread", columns: [['engineDelayMaxMs', 'turn']], format: ms },
  {
    title: 'Threads: share of the time that is busy',
    columns: [
      ['engineBusyPercent', 'engine'],
      ['gatewaysBusyPercent', 'gateways'],
      ['journalBusyPercent', 'journal'],
    ],
    format: percent,
  },
  { title: 'Commits: 99 % take less', columns: [['commitP99Ms', 'commit']], format: ms },
  {
    title: 'Commands behind',
    columns: [
      ['backlogCommands', 'not durable'],
      ['shadowLagCommands', 'shadow'],
      ['archiveLagCommands', 'archive'],
    ],
    format: whole,
  },
  { title: 'Commands in a batch', columns: [['commandsPerBatch', 'commands']], format: whole },
  { title: 'Age of the snapshot', columns: [['snapshotAgeSeconds', 'age']], format: seconds },
  {
    title: 'Memory',
    columns: [
      ['memoryBytes', 'process'],
      ['engineHeapBytes', "heap of the engine's thread"],
    ],
    format: bytes,
  },
  { title: 'Free space', columns: [['freeBytes', 'free']], format: bytes },
  {
    title: 'Connections',
    columns: [
      ['connections', 'connections'],
      ['streams', 'streams'],
      ['gateways', 'gateways'],
    ],
    format: whole,
  },
];

export function SystemView(): JSX.Element {
  const message = live.value;
  const { vitals, error } = useVitals();
  return (
    <>
      <h1>System</h1>
      {message === null ? <Loading error="" /> : <Alarms raised={message.alarms} />}
      {message !== null && (
        <Figures>
          <Figure name="Commands">{count(message.seq)}</Figure>
          <Figure name="Durable up to">{count(message.durableSeq)}</Figure>
          <Figure name="Not durable yet">{count(message.backlog)}</Figure>
          <Figure name="Accounts">{count(message.accounts)}</Figure>
          <Figure name="Keys">{count(message.keys)}</Figure>
          <Figure name="Bets ever placed">{count(message.bets)}</Figure>
        </Figures>
      )}
      {message !== null && message.replication === null && <OneMachine />}
      <Feed />
      <h2>The last hour</h2>
      {vitals === null ? <Loading error={error} /> : <Plots vitals={vitals} />}
    </>
  );
}

function Plots({ vitals }: { readonly vitals: VitalsNow }): JSX.Element {
  if (vitals.time.length === 0)
    return <p class="quiet">The first figures come within ten seconds of the start.</p>;
  return (
    <div class="plots">
      {PLOTS.map((spec) => (
        <VitalPlot key={spec.title} spec={spec} vitals={vitals} />
      ))}
    </div>
  );
}

/** Each says what to do. */
function Alarms({ raised }: { readonly raised: readonly Raised[] }): JSX.Element {
  return (
    <section aria-live="polite">
      <h2>Alarms</h2>
      {raised.length === 0 ? (
        <p>
          <Badge tone="good">none</Badge>
        </p>
      ) : (
        <ul class="alarms">
          {raised.map(({ name, severity, what, advice, since, value, limit, unit }) => (
            <li key={name} class={severity}>
              <p>
                <Badge tone={severity === 'critical' ? 'bad' : 'warn'}>{severity}</Badge>{' '}
                <strong>{name}</strong>: {what}
              </p>
              <p class="quiet">
                Since {timeText(since * 1_000)} UTC; the figure is {figure(value, unit)}, its bound{' '}
                {figure(limit, unit)}.
              </p>
              <p>Do this: {advice}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function figure(value: number, unit: Raised['unit']): string {
  switch (unit) {
    case 'bytes':
      return bytes(value);
    case 's':
      return seconds(value);
    case 'share':
      return percent(value * 100);
    case 'days':
      return `${value.toFixed(1)} days`;
    case 'commands':
      return `${whole(value)} commands`;
    default:
      return String(value);
  }
}

const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];

export interface VitalPlotSpec {
  readonly title: string;
  /** Columns with their names in the legend; at most four. */
  readonly columns: readonly (readonly [name: VitalName, label: string])[];
  readonly format: (value: number) => string;
}

export function VitalPlot({
  spec,
  vitals,
}: {
  readonly spec: VitalPlotSpec;
  readonly vitals: VitalsNow;
}): JSX.Element {
  const { title, columns, format } = spec;
  const lines = columns.map(([name, label], at) => ({
    name: label,
    color: COLORS[at] ?? '--text',
    values: vitals.column(name),
  }));
  const summary = lines.map(({ name, values }) => `${name}: ${written(values.at(-1), format)}`).join(', ');
  return (
    <Plot title={title} summary={summary} times={vitals.time} lines={lines} format={format} fromZero={true} />
  );
}

const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'none' : format(value);
