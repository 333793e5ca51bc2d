/**
 * Compares the wall clock with the journal's last command at a start, with the last stamp after each step, and tells the log.
 * Rounds are settled or voided by this clock, and journaled time never goes back. `ClockGuard` decides on the
 * consequences of a gap.
 */
import { isoText } from '../engine/base/iso-text.js';
import type { EngineReads } from '../engine/engine.js';
import { BACKWARD_STEP_MS_MAX, type ClockCondition, GAP_MS_MAX } from '../engine/host/clock-guard.js';
import type { Sequencer } from '../engine/host/sequencer.js';
import type { Clock } from '../engine/model/ports.js';
import { shellWord } from '../persistence/errors.js';
import type { Log } from '../process/log/log.js';

/** A wrong clock would settle open bets and resting orders. */
export function hasStakes(engine: Pick<EngineReads, 'totals'>): boolean {
  const { openStakesCents, reservedStakesCents } = engine.totals();
  return openStakesCents + reservedStakesCents > 0;
}

interface Times {
  readonly nowMs: number;
  /** The last stamp; 0 in a new journal. */
  readonly lastTimeMs: number;
  readonly dataDir: string;
}

export interface StartClock extends Times {
  readonly hasStakes: boolean;
  /** Prices are made up, and so is the money. */
  readonly isSimulated: boolean;
}

export function tellGap(start: StartClock, log: Pick<Log, 'write'>): void {
  const { nowMs, lastTimeMs } = start;
  if (lastTimeMs === 0) return;
  const gapMs = nowMs - lastTimeMs;
  if (gapMs > GAP_MS_MAX) {
    log.write('clock_gap', { gapMs }, `${timesText(start)}, ${lengthText(gapMs)} later${consequence(start)}`);
  } else tellBehind(start, log);
}

function tellBehind(times: Times, log: Pick<Log, 'write'>): void {
  const { nowMs, lastTimeMs, dataDir } = times;
  const gapMs = nowMs - lastTimeMs;
  if (gapMs >= -BACKWARD_STEP_MS_MAX) return;
  const wayBack =
    `. If it was ahead then and is right now, stop the server and go back to before: npx tote restore ${shellWord(dataDir)} ` +
    `--to ${isoText(nowMs)} --out ${shellWord(`${dataDir}-restored`)}. That leaves out all that was journaled by the wrong clock`;
  // A short wait costs less than the bets that the way back leaves out.
  const advice = gapMs < -GAP_MS_MAX ? wayBack : '';
  const waits = 'before it: orders are refused until the clock has caught up';
  log.write('clock_gap', { gapMs }, `${timesText(times)}, ${lengthText(-gapMs)} ${waits}${advice}`);
}

const timesText = ({ nowMs, lastTimeMs }: Times): string =>
  `the server's last time is ${isoText(lastTimeMs)}, and this machine's clock says ${isoText(nowMs)}`;

interface ClockStepsOptions {
  readonly sequencer: { readonly wallClock: Pick<Sequencer['wallClock'], 'condition' | 'offsetMs'> };
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly dataDir: string;
  readonly log: Pick<Log, 'write'>;
}

/** A clock may be set, wrongly or right, while the server runs. */
export class ClockSteps {
  /** Null at first: the start has told of the clock as it was then. */
  #told: ClockCondition | null = null;

  constructor(private readonly options: ClockStepsOptions) {}

  /** Call several times a second, first when the clock has been looked at. */
  look(): void {
    const { sequencer, clock, dataDir, log } = this.options;
    const told = this.#told;
    const { condition, offsetMs } = sequencer.wallClock;
    this.#told = condition;
    if (told === null || condition === told) return;
    const nowMs = clock.nowMs();
    // The last command may be hours old.
    const times = { nowMs, lastTimeMs: nowMs - offsetMs, dataDir };
    tellGap({ ...times, hasStakes: condition === 'unconfirmed', isSimulated: false }, log);
  }
}

function consequence({ hasStakes: isAtStake, isSimulated }: StartClock): string {
  if (!isAtStake) return '';
  if (isSimulated) return ': open rounds have stakes, and go on by this clock, since prices are simulated';
  return (
    ': open rounds have stakes, so nothing is settled and no order is taken until another clock agrees or an operator ' +
    'confirms this one (console, or POST /clock/confirm). If it is wrong, set it right'
  );
}

/** The two largest units: `2 d 3 h` or `59 min 3 s`. */
export function lengthText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([count]) => count > 0),
  );
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.length === 0 ? `${ms} ms` : shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
