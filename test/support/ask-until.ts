/** Asks again and again, where nobody tells. */
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Background work gets little time on a busy machine. */
const WITHIN_MS = 180_000;

/** Rejects with the last answer. */
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
