/** How far a server's recovery has come, on stderr: an operator who waits for the start sees why. */
import type { Clock } from '../../engine/model/ports.js';
import type { OnProgress } from '../replay/replay.js';

/** A recovery that takes longer than this shows its progress. */
const QUIET_MS = 1_000;

/** To be called when the recovery begins. */
export function recoveryPrinter(clock: Pick<Clock, 'monotonicMs'>): OnProgress {
  const startedMs = clock.monotonicMs();
  return ({ phase, commandsDone, commandsTotal, commandsPerSecond, secondsLeft }) => {
    if (clock.monotonicMs() - startedMs < QUIET_MS) return;
    const total = commandsTotal > 0 ? ` of ${commandsTotal}` : '';
    const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
    const share = `${commandsDone}${total} commands, ${commandsPerSecond}/s${left}`;
    process.stderr.write(`recovery, ${phase}: ${share}\n`);
  };
}
