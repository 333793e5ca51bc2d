/**
 * A snapshot is the whole state: an engine that is written down as tables and read again cannot be told from the one
 * that went on, by its digests, its outcomes or anything that can be read from it (design, "Snapshots without a
 * pause").
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { ASSETS, MARKET_IDS } from '../../engine/domain.js';
import { Engine } from '../../engine/engine.js';
import type { Outcome } from '../../engine/events.js';
import { readAll, type Scope } from '../support/reference/compare.js';
import { Dice } from '../support/reference/dice.js';
import { runStream } from '../support/reference/stream.js';
import { digestsOf, restored, tablesOf } from '../support/snapshots.js';

const STREAMS = Math.ceil(Number(process.env['TOTE_TEST_RUNS'] ?? 120) / 4);
const STEPS = 700;
/** Chance that the second engine is replaced by one from the first one's tables, before each command. */
const RESTORES = 0.02;
/** Everything that can be read, and the whole state's digest, are compared about as often. */
const LOOKS = 0.05;

/** What there is to read, as `outcomes` speak of it. */
class Known implements Scope {
  readonly markets = MARKET_IDS.map((_, market) => market);
  readonly assets = ASSETS.map((_, asset) => asset);
  readonly rounds: (readonly [number, number])[] = [];
  readonly keyDigests: string[] = [];
  readonly limits = [1, 3, 50];
  timesMs: number[] = [];

  learn(outcome: Outcome): void {
    if (outcome.status !== 'accepted') return;
    for (const event of outcome.events) {
      if (event.type === 'roundResolved') this.rounds.push([event.market, event.roundNumber]);
    }
  }
}

test('an engine from tables goes on like the one that they were written from', () => {
  const seen = new Map<string, number>();
  for (let stream = 1; stream <= STREAMS; stream += 1) {
    const dice = new Dice(stream);
    const steps = Array.from({ length: STEPS }, () => dice.whole(0, 0xffff_ffff));
    const known = new Known();
    const one = new Engine();
    let two = restored(one);
    for (const { command, gate } of runStream(stream, steps).tried) {
      if (dice.chance(RESTORES)) {
        two = restored(one);
        for (const { form, rows } of one.exportTables()) {
          for (const _ of rows) seen.set(form.name, (seen.get(form.name) ?? 0) + 1);
        }
      }
      if (command.kind === 'createKey') known.keyDigests.push(command.digest);
      const outcome = one.apply(command, gate);
      known.learn(outcome);
      deepEqual(two.apply(command, gate), outcome, `stream ${stream}`);
      equal(two.rollingDigest(), one.rollingDigest());
      if (!dice.chance(LOOKS)) continue;
      known.timesMs = [command.timeMs, command.timeMs + 30_000];
      deepEqual(readAll(two, known), readAll(one, known), `stream ${stream}`);
      equal(digestsOf(two), digestsOf(one), `stream ${stream}`);
    }
    equal(digestsOf(two), digestsOf(one), `stream ${stream}`);
    deepEqual(tablesOf(two), tablesOf(one), `stream ${stream}`);
  }
  for (const { form } of new Engine().exportTables()) {
    ok((seen.get(form.name) ?? 0) > STREAMS / 2, `${form.name} held ${seen.get(form.name)} rows`);
  }
});
