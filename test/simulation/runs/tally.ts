/** The sums of worlds: counts for the report, and coverage. Plain data, so that it crosses processes. */
import { Coverage } from '../coverage.js';
import type { World } from '../world.js';

const TALLY_COUNTS = [
  ...['worlds', 'steps', 'commands', 'durable', 'rounds', 'voided', 'bets', 'rested', 'filled'],
  ...['cancelled', 'roots', 'proofs', 'acknowledged', 'replays', 'verified', 'crashes', 'batches'],
  ...['simulatedMs'],
] as const;
type TallyCounts = Record<(typeof TALLY_COUNTS)[number], number>;

export interface TallyParts {
  readonly counts: TallyCounts;
  readonly coverage: readonly (readonly [string, number])[];
}

export class Tally {
  readonly counts = Object.fromEntries(TALLY_COUNTS.map((name) => [name, 0])) as TallyCounts;
  readonly coverage = new Coverage();

  addWorld(world: World): void {
    const { auditor, machine, scheduler, config, coverage } = world;
    const events = (name: string): number => coverage.count('event', name);
    this.add({
      counts: {
        worlds: 1,
        steps: world.steps,
        commands: auditor.commands,
        durable: auditor.durableCommands,
        rounds: events('roundSettled'),
        voided: events('roundResolved VOID'),
        bets: events('betPlaced') + events('orderPending'),
        rested: events('orderPending'),
        filled: events('orderFilled'),
        cancelled: auditor.answers.cancelled,
        roots: events('rootPublished'),
        proofs: auditor.roots.provedCount,
        acknowledged: auditor.answers.ordersAcknowledged,
        replays: auditor.answers.replays,
        verified: auditor.answers.betsVerified,
        crashes: machine.crashCount,
        batches: auditor.oracle.batches,
        simulatedMs: scheduler.nowMs - config.startMs,
      },
      coverage: [...coverage.counts],
    });
  }

  add({ counts, coverage }: TallyParts): void {
    for (const name of TALLY_COUNTS) this.counts[name] += counts[name];
    this.coverage.add(coverage);
  }

  parts(): TallyParts {
    return { counts: this.counts, coverage: [...this.coverage.counts] };
  }

  report(realMs: number): string {
    const { counts } = this;
    const seconds = realMs / 1_000;
    const rate = (count: number): string => `${grouped(Math.round(count / seconds))}/s`;
    return [
      `worlds      ${grouped(counts.worlds)}`,
      `steps       ${grouped(counts.steps)}   ${rate(counts.steps)}`,
      `commands    ${grouped(counts.commands)}   ${rate(counts.commands)}; journaled ${grouped(counts.durable)} in ${grouped(counts.batches)} batches`,
      `bets        ${grouped(counts.bets)} placed; ${grouped(counts.acknowledged)} acknowledged, ${grouped(counts.replays)} replays; ${grouped(counts.verified)} hashes verified`,
      `limits      ${grouped(counts.rested)} orders rested; ${grouped(counts.filled)} were filled, ${grouped(counts.cancelled)} cancellations acknowledged`,
      `rounds      ${grouped(counts.rounds)}   of these voided ${grouped(counts.voided)}; ${grouped(counts.roots)} roots, ${grouped(counts.proofs)} bets proved`,
      `crashes     ${grouped(counts.crashes)}`,
      `time        ${(counts.simulatedMs / 3_600_000).toFixed(1)} h simulated in ${(seconds / 60).toFixed(1)} min, ${Math.round(counts.simulatedMs / realMs)} : 1`,
    ].join('\n');
  }
}

const grouped = (count: number): string => count.toLocaleString('en');
