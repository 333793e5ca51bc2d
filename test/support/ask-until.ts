/** Waiting for what nobody tells of: it is asked for again and again. */
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** What works in the background gets little time on a busy machine. */
const WITHIN_MS = 180_000;

/** The first answer that `isSo`. Rejects with the last one where it does not come to that. */
export async function askUntil<T>(
  ask: () => T | Promise<T>,
  isSo: (answer: T) => boolean,
  everyMs = 20,
): Promise<T> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const answer = await ask();
    if (isSo(answer)) return answer;
    if (performance.now() > untilMs) throw new Error(`it never came to that: ${inspect(answer)}`);
    await pause(everyMs);
  }
}
