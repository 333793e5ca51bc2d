/** Ends a refused start: says why and leaves nothing running. */

import { createLog } from '../log/log.js';
import { ConfigError } from './config.js';

/** `isKnown` means that the error's message is a sentence for operators. Other errors are shown with their stack. */
export function refuseToStart(error: unknown, isKnown: boolean): never {
  const reason = error instanceof Error ? (isKnown ? error.message : error.stack) : String(error);
  const sentence = `tote cannot start: ${reason}`;
  // A log of its own: if the configuration is wrong, there is none yet.
  if (process.stderr.isTTY) process.stderr.write(`${sentence}\n`);
  else createLog('fatal').write('start_refused', factsOf(error), sentence);
  process.exit(1);
}

function factsOf(error: unknown): object {
  if (error instanceof ConfigError) return { mistakes: error.mistakes };
  return error instanceof Error && 'code' in error ? { code: error.code } : {};
}
