/**
 * `npm run bench -- --url`: drives a server that runs already, by its public API alone. Requests leave at planned times,
 * whatever the server does; a connection that breaks is counted and opened again. Then the audit.
 */
import { must } from '../../engine/base/assert.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { Endpoint, Failures, LatencySummary } from '../client/job.js';
import type { Kind } from '../client/kinds.js';
import { Latencies } from '../client/latencies.js';
import { Load } from '../client/load.js';
import { latencyCells, PERCENTILE_COLUMNS } from '../load/tables.js';
import { mixed, type Workload } from '../load/workload.js';
import { figure, millisecondsOfUs, percent } from '../report/format.js';
import { type DriveRun, UsageError } from '../report/options.js';
import type { Plot, SectionResult, Table } from '../report/section.js';
import { lookUpPlayers, type Player, readKeys, refuseExcess } from './accounts.js';
import { type Audit, auditAccounts, markAccounts } from './audit.js';

/** The server closes a connection that is silent for 8 s. */
const SILENT_MS_MAX = 6_000;
const SECOND_MS = 1_000;
/** Besides the run, from looking up the markets to the last request: connecting, and a slow machine. */
const SPARE_MS = 60_000;
const BAR_WIDTH = 24;
const FAULTS_SHOWN = 10;
/** The prefix of Idempotency-Keys tells runs apart. */
const FIRST_SERIAL = 1;

/** Throws `UsageError` where keys, limits or the server itself would refuse the load. */
export async function drive(
  run: DriveRun,
  progress: (text: string) => void,
): Promise<{ readonly result: SectionResult; readonly isGood: boolean }> {
  refuseSilence(run);
  progress('looking up the accounts of the keys');
  const players = await lookUpPlayers(run, readKeys(run.keys));
  refuseExcess(run, players);
  const marks = await markAccounts(players);
  const workload = await workloadFor(run, players);
  const { load, watched, result } = await send(run, workload, progress);
  const accountOf = (template: number): string | undefined =>
    players[workload.owners[template] ?? -1]?.account.id;
  const audit = await auditAccounts(marks, load.answers, accountOf, run.stake * 100, progress);
  const seconds = result.measuredMs / SECOND_MS;
  const rows = [...watched.byKind].map(([kind, { latencies, inTime }]) => {
    return { kind, ratePerSecond: inTime / seconds, latency: latencies.summary() };
  });
  const { clientCpu, failures, lateness, sent } = result;
  const ratePerSecond = watched.all.inTime / seconds;
  const latency = watched.all.latencies.summary();
  return {
    isGood: audit.faults.length === 0 && latency.count > 0,
    result: {
      name: 'drive',
      tables: [
        latencyTable(run, [{ kind: 'all but errors', ratePerSecond, latency }, ...rows]),
        failureTable(failures, sent),
      ],
      notes: [
        ...(latency.count === 0
          ? ['NOTHING WAS MEASURED: no request has had the answer that it asks for.']
          : []),
        auditNote(audit),
        `${figure(sent)} requests in ${figure(seconds)}${seconds < run.seconds ? ` of ${run.seconds}` : ''} s: ${figure(ratePerSecond)} answers a second without an error of ${figure(run.rate)} planned, ` +
          `over ${run.connections} connections, with ${players.length} keys of ${audit.accounts} accounts.`,
        `The client itself was late by ${millisecondsOfUs(lateness?.p99Us ?? Number.NaN)} ms (p99), and used ${percent(clientCpu)} of a core: it spins. ` +
          'If it was late by as much as the latencies are, they are its own: use another machine, or a lower rate.',
      ],
      plots: watched.plots(),
      data: {
        result: { ...result, acknowledged: undefined, ratePerSecond, latency },
        byKind: rows,
        seconds: watched.seconds,
        audit,
      },
    },
  };
}

/** A connection must be used again before the server closes it for its silence. */
function refuseSilence({ connections, rate }: DriveRun): void {
  const most = Math.max(1, Math.floor((rate * SILENT_MS_MAX) / SECOND_MS));
  if (connections > most)
    throw new UsageError(
      `--connections: with ${rate} requests a second each of ${connections} connections would be silent for ${Math.round(connections / rate)} s, ` +
        `and the server closes it after 8: use at most ${most}`,
    );
}

/** Orders go to the markets that take bets for the whole run; where there are none, to all that have a round. */
async function workloadFor(run: DriveRun, players: readonly Player[]): Promise<Workload> {
  const { client } = must(players[0], 'player');
  const markets = await client.listMarkets();
  const open = markets.filter(({ currentRound }) => currentRound?.status === 'LIVE');
  if (open.length === 0) throw new UsageError(`${run.url} has no market with a round that takes bets`);
  const cutoffMs = must(players[0], 'player').account.bets.cutoffMs;
  const neededMs = run.seconds * SECOND_MS + cutoffMs + SPARE_MS;
  const lasting = open.filter(({ currentRound }) => (currentRound?.timeToLock ?? 0) > neededMs);
  const used = lasting.length > 0 ? lasting : open;
  const wrong = used.find(({ minBet, maxBet }) => run.stake < minBet || run.stake > maxBet);
  if (run.mix.orders !== undefined && wrong !== undefined)
    throw new UsageError(`--stake: ${wrong.id} takes ${wrong.minBet} to ${wrong.maxBet} USD`);
  const { host, pathname } = new URL(run.url);
  return mixed({
    mix: run.mix,
    apiKeys: players.map(({ apiKey }) => apiKey),
    marketIds: used.map(({ id }) => id),
    stakeCents: run.stake * 100,
    keyPrefix: `bench-${Date.now()}-`,
    site: { host, base: pathname },
  });
}

function endpointOf(address: string): Endpoint {
  const { hostname, port, protocol } = new URL(address);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? (isTls ? 443 : 80) : Number(port), isTls };
}

/** Answers to requests of the run; `inTime` came before its end, all others while it waited for the rest. */
class Tally {
  readonly latencies = new Latencies();
  inTime = 0;

  add(latencyMs: number, isInTime: boolean): void {
    this.latencies.record(latencyMs);
    if (isInTime) this.inTime += 1;
  }
}

/** Errors are told apart: a refusal is mostly faster than what was asked for. */
const ERRORS = 'errors';

class Watched {
  readonly all = new Tally();
  readonly byKind = new Map<Kind | typeof ERRORS, Tally>();
  isInTime = true;
  readonly seconds: { atS: number; answered: number; failed: number; p50Us: number; p99Us: number }[] = [];
  #second = new Latencies();
  #failed = 0;

  constructor(private readonly kinds: readonly Kind[]) {}

  answered(template: number, latencyMs: number, isExpected: boolean): void {
    const kind = isExpected ? must(this.kinds[template], 'kind') : ERRORS;
    const known = this.byKind.get(kind) ?? new Tally();
    this.byKind.set(kind, known);
    known.add(latencyMs, this.isInTime);
    if (!isExpected) return;
    this.all.add(latencyMs, this.isInTime);
    this.#second.record(latencyMs);
  }

  tick(failed: number): (typeof this.seconds)[number] {
    const { count, p50Us, p99Us } = this.#second.summary();
    const second = {
      atS: this.seconds.length + 1,
      ...{ answered: count, failed: failed - this.#failed, p50Us, p99Us },
    };
    this.seconds.push(second);
    this.#second = new Latencies();
    this.#failed = failed;
    return second;
  }

  plots(): Plot[] {
    const plot = (title: string, yLabel: string, series: Plot['series'], yLog: boolean): Plot => ({
      ...{ title, xLabel: 's', yLabel, xLog: false, yLog, series },
    });
    const line = (name: string, of: (second: (typeof this.seconds)[number]) => number) => ({
      name,
      points: this.seconds.map((second) => [second.atS, of(second)] as const),
    });
    return [
      plot(
        'Answers over time',
        'a second',
        [line('answers', ({ answered }) => answered), line('failures', ({ failed }) => failed)],
        false,
      ),
      plot(
        'Latency over time, from the planned times',
        'ms',
        [line('p50', ({ p50Us }) => p50Us / 1000), line('p99', ({ p99Us }) => p99Us / 1000)],
        true,
      ),
    ];
  }
}

async function send(run: DriveRun, workload: Workload, progress: (text: string) => void) {
  const { templates, expectations, kinds } = workload;
  const watched = new Watched(kinds);
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => load.stop();
  const load = new Load(
    {
      ...{ ...endpointOf(run.url), connections: run.connections, reconnects: true },
      ...{ warmupMs: 0, measureMs: run.seconds * SECOND_MS, firstSerial: FIRST_SERIAL },
      pace: { kind: 'open', ratePerSecond: run.rate, seed: Date.now() | 0 },
      ...{ templates, expectations },
    },
    {
      onAnswer: (...answer) => watched.answered(...answer),
      onMeasured: () => {
        watched.isInTime = false;
      },
      onMeasuring: () => {
        // The first Ctrl-C ends the load, and what was measured is told; the second ends the program.
        process.once('SIGINT', stop);
        timer = setInterval(() => {
          progress(progressText(run, watched.tick(load.answers.failed), load.answers.failed));
        }, SECOND_MS);
      },
    },
  );
  progress(`opening ${run.connections} connections`);
  try {
    const result = await load.run();
    watched.tick(load.answers.failed);
    return { load, watched, result };
  } catch (error) {
    throw new Error(`${run.url}: ${messageOf(error)}`);
  } finally {
    clearInterval(timer);
    process.off('SIGINT', stop);
  }
}

function progressText({ seconds }: DriveRun, now: Watched['seconds'][number], failed: number): string {
  const share = Math.min(now.atS / seconds, 1);
  const bar = '#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
  return (
    `[${bar}] ${now.atS} of ${seconds} s: ${figure(now.answered)} answers/s, p50 ${millisecondsOfUs(now.p50Us)} ms, ` +
    `p99 ${millisecondsOfUs(now.p99Us)} ms, ${figure(failed)} failed`
  );
}

interface AnswersOf {
  readonly kind: string;
  readonly ratePerSecond: number;
  readonly latency: LatencySummary;
}

function latencyTable({ url }: DriveRun, answers: readonly AnswersOf[]): Table {
  return {
    title: `Load on ${url}: latency from the planned times`,
    columns: ['requests', 'count', 'rate/s', ...PERCENTILE_COLUMNS],
    rows: answers.map(({ kind, ratePerSecond, latency }) => {
      return [kind, figure(latency.count), figure(ratePerSecond), ...latencyCells(latency)];
    }),
  };
}

function failureTable(failures: readonly Failures[], sent: number): Table {
  const unsent = failures.find(({ code }) => code === 'unsent')?.count ?? 0;
  return {
    title: 'Errors by code',
    columns: ['code', 'count', 'of requests', 'one of them'],
    rows: failures
      .toSorted((a, b) => b.count - a.count)
      .map(({ code, count, example }) => [
        code,
        figure(count),
        `${((100 * count) / (sent + unsent)).toFixed(2)} %`,
        example.slice(0, 120).replaceAll(/\s+/g, ' '),
      ]),
  };
}

function auditNote({ accounts, found, unnamed, faults }: Audit): string {
  const others =
    unnamed === 0
      ? ''
      : ` ${figure(unnamed)} more were placed that no answer named: their answers were lost, or others use the accounts.`;
  if (faults.length === 0)
    return `The audit: all ${figure(found)} acknowledged orders were found, stake by stake, and the balances of ${accounts} accounts add up.${others}`;
  const shown = faults.slice(0, FAULTS_SHOWN).join('; ');
  return `THE AUDIT FAILED: ${shown}${faults.length > FAULTS_SHOWN ? `; and ${faults.length - FAULTS_SHOWN} more` : ''}.${others}`;
}
