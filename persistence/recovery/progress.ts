/** How far a server's recovery has come: an operator who waits for the start sees why. */
import type { Clock } from '../../engine/model/ports.js';
import type { OnProgress, RecoveryProgress } from '../replay/replay.js';

/** A recovery that takes longer than this shows its progress. */
const QUIET_MS = 1_000;

/** To be called when the recovery begins; `tell` gets the progress, and the same in words. */
export function recoveryTeller(
  clock: Pick<Clock, 'monotonicMs'>,
  tell: (progress: RecoveryProgress, sentence: string) => void,
): OnProgress {
  const startedMs = clock.monotonicMs();
  return (progress) => {
    if (clock.monotonicMs() - startedMs < QUIET_MS) return;
    const { phase, commandsDone, commandsTotal, commandsPerSecond, secondsLeft } = progress;
    const total = commandsTotal > 0 ? ` of ${commandsTotal}` : '';
    const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
    const share = `${commandsDone}${total} commands, ${commandsPerSecond}/s${left}`;
    tell(progress, `recovery, ${phase}: ${share}`);
  };
}
