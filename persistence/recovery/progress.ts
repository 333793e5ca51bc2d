/** The progress of a recovery, for an operator who waits for the start. */
import type { Clock } from '../../engine/model/ports.js';
import type { OnProgress, RecoveryProgress } from '../replay/replay.js';

/** A recovery shows its progress once it takes longer than this. */
const QUIET_MS = 1_000;

/** To be called when the recovery begins. `report` gets the progress, also as a sentence. */
export function recoveryReporter(
  clock: Pick<Clock, 'monotonicMs'>,
  report: (progress: RecoveryProgress, sentence: string) => void,
): OnProgress {
  const startedMs = clock.monotonicMs();
  return (progress) => {
    if (clock.monotonicMs() - startedMs < QUIET_MS) return;
    const { phase, commandsDone, commandsTotal, commandsPerSecond, secondsLeft } = progress;
    const total = commandsTotal > 0 ? ` of ${commandsTotal}` : '';
    const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
    const share = `${commandsDone}${total} commands, ${commandsPerSecond}/s${left}`;
    report(progress, `recovery, ${phase}: ${share}`);
  };
}
