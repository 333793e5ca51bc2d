/**
 * Compares the wall clock at a start with the journal's last command. Rounds are settled or voided by this clock, and
 * journaled time never goes back. So a clock far ahead is reported, and beyond a limit the start is refused.
 */

import { ConfigError } from '../config/config.js';
import { BACKWARD_STEP_MS_MAX } from '../engine/host/clock-guard.js';
import type { Log } from '../process/log/log.js';

const HOUR_MS = 3_600_000;

/**
 * `lastTimeMs` is the time of the last command, 0 in a new journal. Throws a `ConfigError` if the gap is more than
 * `gapMsMax`.
 */
export function judgeGap(
  nowMs: number,
  lastTimeMs: number,
  gapMsMax: number | null,
  log: Pick<Log, 'write'>,
): void {
  if (lastTimeMs === 0) return;
  const gapMs = nowMs - lastTimeMs;
  const times = `the last command is of ${iso(lastTimeMs)}, and this machine's clock says ${iso(nowMs)}`;
  if (gapMsMax !== null && gapMs > gapMsMax) {
    throw new ConfigError([
      `TOTE_GAP_MAX: ${times}, ${lengthText(gapMs)} later; at most ${lengthText(gapMsMax)} are believed, since rounds are ` +
        'settled or voided by this clock; set it right, or, where it is right, start once with TOTE_GAP_MAX=any',
    ]);
  }
  if (gapMs > HOUR_MS) log.write('clock_gap', { gapMs }, `${times}, ${lengthText(gapMs)} later`);
  if (gapMs < -BACKWARD_STEP_MS_MAX) {
    log.write(
      'clock_gap',
      { gapMs },
      `${times}, ${lengthText(-gapMs)} before it: orders are refused until the clock has caught up`,
    );
  }
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString();

/** Such as `2 d 3 h` or `59 min 3 s`: the two largest units. */
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
