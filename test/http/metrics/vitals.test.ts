/** Vitals and alarms, made of figures that were counted, sample by sample. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSETS } from '../../../engine/model/domain.js';
import { ALARMS } from '../../../http/metrics/alarm-list.js';
import { RaisedAlarms } from '../../../http/metrics/alarms.js';
import { ENGINE_PLACES, EngineMeter } from '../../../http/metrics/engine-meter.js';
import { GatewayMeter } from '../../../http/metrics/gateway-meter.js';
import { type GaugeName, Gauges } from '../../../http/metrics/gauges.js';
import { figuresMemory } from '../../../http/metrics/memory.js';
import { Readings } from '../../../http/metrics/readings.js';
import { type LeaderStatus, logGauges } from '../../../http/metrics/replication.js';
import { SAMPLE_EVERY_MS, SAMPLES_MAX, VITAL_NAMES, Vitals } from '../../../http/metrics/vitals.js';

const START_MS = 1_800_000_000_000;
const HOUR_SECONDS = 3_600;
const ACTIVE_AT = ENGINE_PLACES.thread.activeMs;
type Name = (typeof VITAL_NAMES)[number];

function watched() {
  const memory = figuresMemory(2);
  const guesses = { wrong: 0, refused: 0 };
  const readings = new Readings(memory, [], () => guesses);
  const gauges = new Gauges(memory.engineGauges);
  const engine = new EngineMeter(memory.engine);
  const [first, second] = memory.gateways.map((sheet) => new GatewayMeter(sheet));
  assert.ok(first !== undefined && second !== undefined);
  const vitals = new Vitals();
  const lines: string[] = [];
  const write = (event: string, fields?: object): void => {
    lines.push(`${event} ${(fields as { alarm: string }).alarm}`);
  };
  const alarms = new RaisedAlarms("'/srv/it is'", { write });
  let monotonicMs = 0;
  const sample = (): void => {
    monotonicMs += SAMPLE_EVERY_MS;
    gauges.set({ turnEndedMs: monotonicMs });
    const reading = readings.take(START_MS + monotonicMs, monotonicMs);
    vitals.sample(reading);
    alarms.check(reading, vitals);
  };
  const after = (samples: number, before = (_at: number): void => {}): string[] => {
    for (let at = 0; at < samples; at++) {
      before(at);
      sample();
    }
    return alarms.raised.map(({ name }) => name);
  };
  gauges.set({ isClockSound: true, isTrading: true, isTakingOrders: true, assetsExpected: ASSETS.length });
  gauges.set({ freeBytes: 1e12, recoveryNeedsBytes: 0 });
  sample();
  return { gauges, engine, guesses, first, second, vitals, alarms, after, lines, sample, readings };
}

test('rates and percentiles are those of the time since the last sample, over all gateways', () => {
  const { first, second, engine, vitals, sample, after } = watched();
  for (const meter of [first, second]) {
    meter.answered(1, 201);
    meter.answered(2, 503);
    meter.limited(3);
    for (let order = 0; order < 10; order++) meter.placed(0, 1, 2, 4, order === 9 ? 100 : 5);
  }
  engine.batch(8, 20);
  engine.batch(4, 1);
  sample();
  const latest = (names: string) => names.split(' ').map((name) => vitals.latest(name as Name));
  const rates = 'requestsPerSecond serverErrorsPerSecond rateLimitedPerSecond ordersPerSecond';
  assert.deepEqual(latest(rates), [0.8, 0.4, 0.4, 4]);
  // Upper bounds of the buckets: 5 ms, 100 ms and so on, rounded up by less than a quarter.
  const times = latest('orderP50Ms orderP99Ms orderRingP99Ms orderEngineP99Ms');
  assert.deepEqual(times, [5.12, 114.688, 1.024, 1.024]);
  assert.deepEqual(latest('orderCommitP99Ms commitP99Ms commandsPerBatch gateways'), [2.048, 20.48, 6, 2]);
  after(11);
  assert.deepEqual(latest(`${rates} orderP50Ms commandsPerBatch`), [0, 0, 0, 0, 5.12, 6]);
  sample();
  assert.deepEqual(latest('orderP50Ms commandsPerBatch'), [Number.NaN, Number.NaN]);
});

test('an hour is kept, every column as long as the times, and what is later than a time is given', () => {
  const { vitals, sample, readings } = watched();
  for (let at = 0; at < SAMPLES_MAX + 50; at++) sample();
  const all = vitals.since(0);
  assert.deepEqual([all.time.length, Object.keys(all.columns)], [SAMPLES_MAX, VITAL_NAMES]);
  for (const column of Object.values(all.columns)) assert.equal(column.length, SAMPLES_MAX);
  const [oldest = 0, newest = 0] = [all.time[0], all.time.at(-1)];
  assert.equal(newest - oldest, HOUR_SECONDS - SAMPLE_EVERY_MS / 1_000);
  const late = vitals.since(newest - 10);
  assert.deepEqual([late.time, late.columns['gateways']?.length], [[newest - 5, newest], 2]);
  assert.deepEqual(vitals.since(newest).time, []);
  vitals.sample(readings.take(START_MS - 7_200_000, 0));
  const { time } = vitals.since(0);
  assert.deepEqual(time, time.toSorted(), 'also by a clock that was set back');
});

test('an alarm tells since when, what and what to do, and ends with its cause: the log has both', () => {
  const { gauges, alarms, lines, vitals, readings, sample, after } = watched();
  gauges.set({ isClockSound: 0 });
  after(2);
  const [raised, ...others] = alarms.raised;
  assert.deepEqual([others, raised?.name], [[], 'clock_unsound']);
  const since = (START_MS + 2 * SAMPLE_EVERY_MS) / 1_000;
  assert.deepEqual([raised?.since, raised?.value, raised?.limit], [since, 0, 1]);
  assert.match(raised?.advice ?? '', /chronyc/);
  alarms.check(readings.take(START_MS - HOUR_SECONDS * 1_000, 4 * SAMPLE_EVERY_MS), vitals);
  assert.deepEqual(alarms.raised, [raised], 'although the clock was set back');
  gauges.set({ isClockSound: 1 });
  sample();
  assert.deepEqual(alarms.raised, []);
  assert.deepEqual(lines, ['alarm_raised clock_unsound', 'alarm_ended clock_unsound']);
});

const DAY_MS = 86_400_000;

test('each trouble has its alarm', () => {
  const troubles: readonly (readonly [alarm: string, gauge: GaugeName, sound: number, bad: number])[] = [
    ['journal_damaged', 'journalFaults', 0, 1],
    ['trading_stopped', 'isTrading', 1, 0],
    ['orders_refused', 'isTakingOrders', 1, 0],
    ['market_suspended', 'marketsSuspended', 0, 1],
    ['backup_old', 'backupAtMs', START_MS - DAY_MS, START_MS - 2 * DAY_MS],
    ['backup_old', 'backupAtMs', Number.NaN, 1],
    ['snapshot_old', 'unsavedSinceMs', START_MS - 1_000_000, START_MS - 4_000_000],
    ['certificate_expires', 'certificateEndsMs', START_MS + 22 * DAY_MS, START_MS + 20 * DAY_MS],
    ['certificate_expires', 'certificateEndsMs', Number.NaN, START_MS - DAY_MS],
    ['disk_soft', 'spaceLevel', 0, 1],
    ['disk_reserve', 'spaceLevel', 0, 2],
    ['recovery_space', 'recoveryNeedsBytes', 1e12, 1e12 + 1],
    ['price_held', 'assetsHeld', 0, 1],
    ['feed_switched', 'assetsSwitched', 0, 1],
  ];
  for (const [alarm, gauge, sound, bad] of troubles) {
    const { gauges, after } = watched();
    const raisedWith = (value: number): string[] => {
      gauges.set({ [gauge]: value });
      const { forSeconds = 0 } = ALARMS.find(({ name }) => name === alarm) ?? {};
      return after(1 + (forSeconds * 1_000) / SAMPLE_EVERY_MS);
    };
    assert.deepEqual([raisedWith(sound), raisedWith(bad), raisedWith(sound)], [[], [alarm], []], alarm);
  }
});

test('answers of 5xx and wrong tokens are alarms once they are many', () => {
  const { first, guesses, after } = watched();
  const namesWith = (sound: number, errors: number, wrong: number): string[] => {
    after(24, () => {
      for (let answer = 0; answer < sound; answer++) first.answered(1, 201);
      for (let answer = 0; answer < errors; answer++) first.answered(1, 503);
    });
    for (const kind of ['wrong', 'refused'] as const) guesses[kind] += wrong / 2;
    return after(1);
  };
  assert.deepEqual([namesWith(99, 1, 10), namesWith(98, 2, 1)], [[], ['server_errors', 'wrong_tokens']]);
  assert.deepEqual(namesWith(100, 0, 0), ['wrong_tokens']);
});

test('a slow disk is an alarm although it is seldom used, but not for one commit; a busy thread is one, too', () => {
  const { engine, after } = watched();
  engine.batch(1, 200);
  assert.deepEqual(after(14), []);
  const seldom = after(30, (at) => at % 10 === 0 && engine.batch(1, 200));
  assert.deepEqual(seldom, ['slow_commits']);
  const { sheet } = engine;
  const busyFor = (ms: number) => after(14, () => sheet.set([(sheet[ACTIVE_AT] ?? 0) + ms], ACTIVE_AT));
  assert.deepEqual([busyFor(4_200), busyFor(4_300), busyFor(0)], [[], ['engine_busy'], []]);
});

test('an alarm that waits is raised only if its cause lasts, and its advice names the data directory', () => {
  const { gauges, alarms, sample, after } = watched();
  gauges.set({ isShadowImpaired: 1 });
  assert.deepEqual(after(12), [], 'a minute has not passed since the first sample with it');
  assert.deepEqual(alarms.waiting, ['something prevents snapshots or the archive']);
  gauges.set({ isShadowImpaired: 0 });
  sample();
  gauges.set({ isShadowImpaired: 1 });
  assert.deepEqual([after(12), after(1)], [[], ['shadow_impaired']]);
  gauges.set({ journalFaults: 1 });
  sample();
  assert.match(alarms.raised[0]?.advice ?? '', /npx tote verify '\/srv\/it is' names.*last segment.*restore/);
});

test('a figure that is not to be had raises no alarm: no feed is silent while no market is open', () => {
  const { gauges, after } = watched();
  assert.deepEqual(after(0), [], 'nor does a sound server that has just started');
  gauges.set({ assetsExpected: 0 });
  assert.deepEqual(after(1), []);
  gauges.set({ assetsExpected: 2, assetsSilent: 2 });
  assert.deepEqual(after(1), ['feed_silent']);
});

const STANDBY = { node: 'two', messagesBehind: 3, behindMs: 100, heardMsAgo: 200 };
const LOG: LeaderStatus = {
  ...{ role: 'leader', node: 'one', epoch: 1, streamSequence: 9, trouble: null, awayMs: 0 },
  ...{ leaseAgeMs: 500, lease: 'held', standbys: [STANDBY] },
};

test('a leader is alarmed of standbys and NATS servers, a server by itself is not', () => {
  const { gauges, engine, alarms, sample, after } = watched();
  const namesWith = (changed: Partial<LeaderStatus>, publishMs = 200): string[] => {
    gauges.set(logGauges({ ...LOG, ...changed }));
    return after(14, () => engine.published(publishMs));
  };
  assert.deepEqual([namesWith({}, 90), namesWith({})], [[], ['slow_publishes']]);
  assert.deepEqual(namesWith({ standbys: [] }), ['standby_missing', 'slow_publishes']);
  const far = { ...STANDBY, behindMs: 6_000 };
  assert.deepEqual(namesWith({ standbys: [STANDBY, far] }), ['standby_behind', 'slow_publishes']);
  gauges.set({ isBacklogged: 1 });
  assert.deepEqual(namesWith({ awayMs: 6_000 }), ['replication_away', 'slow_publishes']);
  assert.deepEqual(namesWith({}), ['journal_backlog', 'slow_publishes']);
  gauges.set({ isBacklogged: 0 });
  sample();
  assert.equal(alarms.raised[0]?.name, 'journal_backlog', 'it stays between two slow syncs');
  assert.deepEqual(namesWith({}), ['slow_publishes']);
});

test('a thread that hangs is an alarm although it tells nothing', () => {
  const { alarms, vitals, readings } = watched();
  const reading = readings.take(START_MS + 20_000, 20_000);
  vitals.sample(reading);
  alarms.check(reading, vitals);
  const hangs = alarms.raised.map(({ name, value, limit, unit }) => [name, value, limit, unit]);
  assert.deepEqual(hangs, [['engine_hangs', 15, 5, 's']]);
});

test('every alarm has one bound, a sentence and advice', () => {
  for (const { name, above, below, what, advice } of ALARMS) {
    assert.equal((above === undefined) !== (below === undefined), true, name);
    assert.match(name, /^[a-z_]+$/);
    assert.match(what, /^[a-z].*[^.]$/, name);
    assert.match(advice, /^[A-Z/a-z].*\.$/, name);
  }
});
