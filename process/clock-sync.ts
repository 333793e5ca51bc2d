/**
 * Whether something keeps the machine's clock right: chrony, else systemd, whose `timedatectl` reads the kernel's own
 * word (`adjtimex`), which setting the clock by hand takes back. The file /run/systemd/timesync/synchronized would
 * stay when the clock is set wrong later.
 */
import { execFile } from 'node:child_process';

const PROGRAM_MS_MAX = 5_000;
/** A time service may know that the clock is off, and be about to set it. */
const OFF_MS_MAX = 1_000;

export interface ClockSync {
  readonly isClockSynchronised: boolean | null;
  /** By chrony's estimate; null if unknown. */
  readonly clockOffMs: number | null;
}

export async function readClockSync(): Promise<ClockSync> {
  const chrony = await outputOf('chronyc', ['-c', 'tracking']);
  if (chrony !== null) return parseChrony(chrony);
  const systemd = await outputOf('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  const word = systemd?.trim();
  const isKnown = word === 'yes' || word === 'no';
  return { isClockSynchronised: isKnown ? word === 'yes' : null, clockOffMs: null };
}

export async function isClockRight(): Promise<boolean> {
  const { isClockSynchronised, clockOffMs } = await readClockSync();
  return isClockSynchronised === true && (clockOffMs ?? 0) <= OFF_MS_MAX;
}

/** From the fields of `chronyc -c tracking`: the third is the stratum, 0 without a source; the fifth the offset in seconds. */
export function parseChrony(text: string): ClockSync {
  const fields = text.trim().split(',');
  const stratum = Number(fields[2]);
  const offSeconds = Number(fields[4]);
  if (fields.length < 5 || Number.isNaN(stratum) || Number.isNaN(offSeconds))
    return { isClockSynchronised: null, clockOffMs: null };
  const isSynchronised = stratum > 0 && !text.includes('Not synchronised');
  return { isClockSynchronised: isSynchronised, clockOffMs: Math.round(Math.abs(offSeconds) * 1e6) / 1_000 };
}

/** null where the program is missing or fails. */
const outputOf = (program: string, args: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: PROGRAM_MS_MAX }, (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
  });
