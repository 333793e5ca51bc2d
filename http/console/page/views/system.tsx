/** The server's figures over the last hour. */
import type { JSX } from 'preact';
import type { VitalName } from '../../../metrics/vitals.js';
import { Figure, Figures, Loading } from '../parts/basics.js';
import { Plot, RangeSelect } from '../parts/plot.js';
import { useVitals, type VitalsNow } from '../parts/vitals.js';
import { bytes, count, duration } from '../state/format.js';
import { live } from '../state/live.js';

export const milliseconds = (value: number): string =>
  `${value < 10 ? Number(value.toFixed(2)) : Math.round(value)} ms`;
const percent = (value: number): string => `${Math.round(value)} %`;
const whole = (value: number): string => count(Math.round(value));
const seconds = (value: number): string => duration(value * 1_000);

/** A title, the form of figures, and at most four columns, each with its name in the legend. */
type Spec = readonly [
  title: string,
  format: (value: number) => string,
  columns: Partial<Record<VitalName, string>>,
];

const PLOTS: readonly Spec[] = [
  [
    'Rates, a second',
    whole,
    {
      ordersPerSecond: 'orders',
      requestsPerSecond: 'requests',
      rateLimitedPerSecond: 'over a rate limit',
      serverErrorsPerSecond: '5xx',
    },
  ],
  [
    'Time of an order at the server',
    milliseconds,
    { orderP50Ms: 'half below', orderP99Ms: '99 % below', orderMaxMs: 'longest' },
  ],
  [
    'Where it goes: 99 % are below',
    milliseconds,
    {
      orderRingP99Ms: 'ring',
      orderEngineP99Ms: 'engine',
      orderCommitP99Ms: 'commit',
      orderReleaseP99Ms: 'release',
    },
  ],
  ["Longest turn of the engine's thread", milliseconds, { engineDelayMaxMs: 'turn' }],
  [
    'Threads: share of the time that is busy',
    percent,
    { engineBusyPercent: 'engine', gatewaysBusyPercent: 'gateways', journalBusyPercent: 'journal' },
  ],
  ['Commits: 99 % take less', milliseconds, { commitP99Ms: 'commit' }],
  [
    'Commands behind',
    whole,
    { backlogCommands: 'not durable', shadowLagCommands: 'shadow', archiveLagCommands: 'archive' },
  ],
  ['Commands in a batch', whole, { commandsPerBatch: 'commands' }],
  ['Age of the snapshot', seconds, { snapshotAgeSeconds: 'age' }],
  ['Memory', bytes, { memoryBytes: 'process', engineHeapBytes: "heap of the engine's thread" }],
  ['Free space', bytes, { freeBytes: 'free' }],
  ['Connections', whole, { connections: 'connections', streams: 'streams', gateways: 'gateways' }],
];

export function SystemView(): JSX.Element {
  const message = live.value;
  const { vitals, error } = useVitals();
  if (message === null) return <Loading error="" />;
  return (
    <>
      <h1>System</h1>
      <Figures>
        <Figure name="Commands">{count(message.seq)}</Figure>
        <Figure name="Durable up to">{count(message.durableSeq)}</Figure>
        <Figure name="Not durable yet">{count(message.backlog)}</Figure>
        <Figure name="Accounts">{count(message.accounts)}</Figure>
        <Figure name="Keys">{count(message.keys)}</Figure>
        <Figure name="Bets ever placed">{count(message.bets)}</Figure>
      </Figures>
      <div class="title">
        <h2>Of late</h2>
        <RangeSelect />
      </div>
      {vitals === null && <Loading error={error} />}
      {vitals?.time.length === 0 && (
        <p class="quiet">The first figures come within ten seconds of the start.</p>
      )}
      {vitals !== null && vitals.time.length > 0 && (
        <div class="plots">
          {PLOTS.map((spec) => (
            <VitalPlot key={spec[0]} spec={spec} vitals={vitals} />
          ))}
        </div>
      )}
    </>
  );
}

function VitalPlot({ spec, vitals }: { readonly spec: Spec; readonly vitals: VitalsNow }): JSX.Element {
  const [title, format, columns] = spec;
  const lines = Object.entries(columns).map(([column, name], at) => ({
    name,
    color: `--line-${at + 1}`,
    values: vitals.column(column as VitalName),
  }));
  const summary = lines.map(({ name, values }) => `${name}: ${written(values.at(-1), format)}`).join(', ');
  const look = { format, fromZero: true, isRanged: true };
  return <Plot title={title} summary={summary} times={vitals.time} lines={lines} {...look} />;
}

export const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'none' : format(value);
