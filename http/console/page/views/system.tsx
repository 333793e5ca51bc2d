/** The server's figures over the last hour. */
import type { JSX } from 'preact';
import type { VitalName } from '../../../metrics/vitals.js';
import type { VitalsResource } from '../../../operator/figures/vitals.js';
import type { LiveMessage } from '../../live-message.js';
import { Figures, Section } from '../parts/basics.js';
import { Query } from '../parts/loaded.js';
import { Plot, RangeSelect } from '../parts/plot.js';
import { bytes, count, duration } from '../state/format.js';

export const VITALS_EVERY_MS = 5_000;
export const milliseconds = (value: number): string =>
  `${value < 10 ? Number(value.toFixed(2)) : Math.round(value)} ms`;
const percent = (value: number): string => `${Math.round(value)} %`;
export const whole = (value: number): string => count(Math.round(value));

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
  ['Age of the snapshot', (seconds) => duration(seconds * 1_000), { snapshotAgeSeconds: 'age' }],
  ['Memory', bytes, { memoryBytes: 'process', engineHeapBytes: "heap of the engine's thread" }],
  ['Free space', bytes, { freeBytes: 'free' }],
  ['Connections', whole, { connections: 'connections', streams: 'streams', gateways: 'gateways' }],
];

export function SystemView(message: LiveMessage): JSX.Element {
  return (
    <>
      <h1>System</h1>
      <Figures
        of={{
          Commands: count(message.seq),
          'Durable up to': count(message.durableSeq),
          'Not durable yet': count(message.backlog),
          Accounts: count(message.accounts),
          Keys: count(message.keys),
          'Bets ever placed': count(message.bets),
        }}
      />
      <Section title="Of late" side={<RangeSelect />}>
        <Query<VitalsResource> path="/vitals" everyMs={VITALS_EVERY_MS}>
          {(vitals) =>
            vitals.time.length === 0 ? (
              <p class="quiet">The first figures come within ten seconds of the start.</p>
            ) : (
              <div class="plots">
                {PLOTS.map(([title, format, columns]) => {
                  const lines = Object.entries(columns).map(([column, name]) => ({
                    name,
                    values: vitals.columns[column] ?? [],
                  }));
                  const now = lines.map(({ name, values }) => `${name}: ${written(values.at(-1), format)}`);
                  const look = { title, format, lines, times: vitals.time, summary: now.join(', ') };
                  return <Plot key={title} {...look} fromZero isRanged />;
                })}
              </div>
            )
          }
        </Query>
      </Section>
    </>
  );
}

export const written = (value: number | null | undefined, format: (value: number) => string): string =>
  value == null ? 'none' : format(value);
