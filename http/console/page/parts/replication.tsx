/** Parts of the views of the replicated log, on a leader and on a standby. */
import type { JSX } from 'preact';
import type { LeaderStatus } from '../../../metrics/replication.js';
import { duration } from '../state/format.js';
import { isFresh } from '../state/live.js';
import type { Finding } from '../state/replication.js';
import { Badge } from './basics.js';

/** `isFine` is what is said where nothing is wrong. What a machine said before it fell silent is no state of now. */
export function State({
  findings,
  isFine,
}: {
  readonly findings: readonly Finding[];
  readonly isFine: string;
}): JSX.Element {
  if (!isFresh.value) {
    return (
      <p class="error" role="alert">
        This machine has sent nothing for some seconds: the figures below are those of its last message. If it
        has ended, see the console of the other one.
      </p>
    );
  }
  return (
    <section aria-live="polite" aria-label="State">
      {findings.length === 0 ? (
        <p>
          <Badge tone="good">all is well</Badge> {isFine}
        </p>
      ) : (
        <ul class="alarms">
          {findings.map(({ severity, what, detail, advice }) => (
            <li key={what} class={severity}>
              <p>
                <Badge tone={severity === 'critical' ? 'bad' : 'warn'}>{severity}</Badge> {what}
              </p>
              {detail !== '' && <p class="quiet">{detail}</p>}
              <p>Do this: {advice}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Servers({ trouble, awayMs }: Pick<LeaderStatus, 'trouble' | 'awayMs'>): JSX.Element {
  if (trouble === null) return <Badge tone="good">answer</Badge>;
  return <Badge tone="bad">no answer for {duration(awayMs)}</Badge>;
}

/** How long ago a standby had read all of the stream. */
export const hadAll = (behindMs: number): string => (behindMs === 0 ? 'now' : `${duration(behindMs)} ago`);

const WORDS: readonly (readonly [name: string, meaning: string])[] = [
  [
    'Epoch',
    'It goes up whenever a machine begins to lead. The stream takes nothing from a leader of an earlier one.',
  ],
  [
    'Lease',
    'The leader keeps renewing it. When it has not for TOTE_LEASE_SECONDS, a standby takes over by itself.',
  ],
  [
    'Last message of the stream',
    'Its number. A batch of commands is a message, or several; the beginning of an epoch is one, too.',
  ],
  ['Messages behind', 'Those that a standby has not read yet. It reads all of them before it takes over.'],
  ['Had all', 'How long ago a standby had read all of the stream.'],
];

export function Words(): JSX.Element {
  return (
    <section>
      <h2>The meaning of these</h2>
      <dl class="words">
        {WORDS.map(([name, meaning]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
