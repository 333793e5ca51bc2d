/** `tote prune`: deletes old files that are not needed, as the server does by itself with TOTE_RETENTION. */
import { Option } from 'commander';
import { hoursOrDaysOrAll } from '../../../config/config-values.js';
import type { DataDir } from '../../data-dir/layout.js';
import { findHolder, lockDataDir } from '../../data-dir/lock.js';
import { inspect } from '../../upkeep/inspect.js';
import { SNAPSHOTS_KEPT } from '../../upkeep/retention/choice.js';
import { executePlan, type PrunePlan, planPrune } from '../../upkeep/retention/retention.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { parseWhole, readAs } from '../frame/options.js';

interface PruneOptions {
  /** For segments; null for ever. */
  readonly keep: number | null;
  readonly snapshots: number;
  readonly dryRun?: boolean;
}

export const pruneCommand = defineCommand<PruneOptions>({
  details:
    'A segment is deleted when it is sealed, all of it is older than --keep, and a snapshot of that age and the archive both ' +
    'cover it. Nothing that clients or operators can ask for is lost, every moment younger than --keep can still be ' +
    'shown, and "verify" and "replay" then begin at that snapshot. For everything that is kept it says why. A running ' +
    'server is not disturbed; it does the same by itself with TOTE_RETENTION.',
  examples: [
    ['prune --keep 30d --dry-run', 'say which files would go, and why the rest stays'],
    ['prune --keep 30d', 'deletes it'],
    [
      'prune --snapshots 1',
      'segments all stay, of the snapshots the newest, and the first of each hour and day',
    ],
  ],
  options: [
    new Option('--keep <age>', 'segments younger than this stay: "all", 12h, 30d')
      .env('TOTE_RETENTION')
      .argParser(readAs(hoursOrDaysOrAll))
      .default(null, 'all'),
    new Option('--snapshots <N>', 'so many of the newest snapshots stay')
      .argParser(parseWhole)
      .default(SNAPSHOTS_KEPT.newest),
    new Option('--dry-run', 'delete nothing'),
  ],
  run: ({ dir, out }, { keep, snapshots: newest, dryRun = false }) => {
    const policy = { segmentsMs: keep, snapshots: { ...SNAPSHOTS_KEPT, newest } };
    const plan = planPrune(dir, policy, lastTimeMs(dir));
    if (!dryRun) deleteAll(dir, plan);
    out.answer({ isDone: !dryRun, ...plan });
    return EXIT.done;
  },
});

/** Engine time: ages are counted from the last command, as the server does. */
const lastTimeMs = (dir: DataDir): number =>
  Math.max(0, ...inspect(dir).segments.map((segment) => segment.lastTimeMs));

/** No server starts meanwhile; one that runs knows nothing of what goes. */
function deleteAll(dir: DataDir, plan: PrunePlan): void {
  using _lock = findHolder(dir) === null ? lockDataDir(dir) : null;
  executePlan(dir, plan);
}
