/** Questions wait for the archive to come as far as they need, ask for it to hurry, and are always answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveAnswer, ArchiveQuestion } from '../../../../engine/model/archive-reads.js';
import {
  type AnsweringReader,
  WAIT_MS_MAX,
  WaitingQuestions,
} from '../../../../persistence/archive/reader/waiting.js';

const ANSWER: ArchiveAnswer = { rounds: [], nextAfter: null };

class Archive {
  seq: number | null = 0;
  nowMs = 0;
  fault: Error | null = null;
  opened = 0;
  closed = 0;
  readonly hurried: number[] = [];
  readonly noted: unknown[] = [];
  /** An answer takes so many more steps. */
  stepsLeft = 0;
  #isUnfinished = false;
  readonly scheduled: (() => void)[] = [];
  readonly told: [string, ArchiveAnswer][] = [];
  readonly questions = new WaitingQuestions({
    open: () => this.#open(),
    nowMs: () => this.nowMs,
    hurry: (seq) => this.hurried.push(seq),
    schedule: (lookAgain) => this.scheduled.push(lookAgain),
    note: (thrown) => this.noted.push(thrown),
  });

  #open(): AnsweringReader | null {
    if (this.seq === null) return null;
    this.opened += 1;
    return {
      answer: ({ reachedSeq }) => {
        if (this.fault !== null) throw this.fault;
        if (reachedSeq > (this.seq ?? 0)) return null;
        if (this.stepsLeft === 0) return { answer: ANSWER };
        this.stepsLeft -= 1;
        this.#isUnfinished = true;
        return null;
      },
      takeUnfinished: () => {
        const isUnfinished = this.#isUnfinished;
        this.#isUnfinished = false;
        return isUnfinished;
      },
      close: () => {
        this.closed += 1;
      },
    };
  }

  ask(name: string, reachedSeq: number): void {
    const ofAll = { market: null, fromMs: null, toMs: null, after: null, limit: 1 };
    const question: ArchiveQuestion = { kind: 'rounds', ...ofAll, reachedSeq };
    this.questions.ask(question, (answer) => this.told.push([name, answer]));
  }

  get names(): string[] {
    return this.told.map(([name]) => name);
  }
  get codes(): string[] {
    return this.told.map(([, answer]) => (answer !== null && 'refused' in answer ? answer.refused : ''));
  }
}

test('a question is answered at once where the archive has come far enough', () => {
  const archive = new Archive();
  archive.seq = 7;
  archive.ask('now', 7);
  assert.deepEqual([archive.told, archive.hurried], [[['now', ANSWER]], []]);
  assert.equal(archive.questions.nextEndMs, null);
});

test('else it waits, hurries the writer, and is answered when the archive has come so far', () => {
  const archive = new Archive();
  archive.ask('nine', 9);
  archive.ask('five', 5);
  assert.deepEqual([archive.names, archive.hurried], [[], [9, 5]]);
  archive.seq = 5;
  archive.questions.lookAgain();
  assert.deepEqual(archive.names, ['five']);
  archive.seq = 9;
  archive.questions.lookAgain();
  assert.deepEqual([...archive.names, ...archive.codes], ['five', 'nine', '', '']);
});

test('it does not wait for ever', () => {
  const archive = new Archive();
  archive.ask('first', 1);
  archive.nowMs = 1_000;
  archive.ask('second', 1);
  assert.equal(archive.questions.nextEndMs, WAIT_MS_MAX);
  archive.nowMs = WAIT_MS_MAX;
  archive.questions.lookAgain();
  assert.deepEqual([archive.names, archive.codes], [['first'], ['archive_behind']]);
  assert.equal(archive.questions.nextEndMs, WAIT_MS_MAX + 1_000);
});

test('before there is an archive it waits for that', () => {
  const archive = new Archive();
  archive.seq = null;
  archive.ask('early', 0);
  assert.deepEqual([archive.names, archive.opened], [[], 0]);
  archive.seq = 0;
  archive.questions.forget();
  archive.questions.lookAgain();
  assert.deepEqual([archive.codes, archive.opened], [[''], 1]);
});

test('a fault is noted and refused, and the archive is opened anew for the next question', () => {
  const archive = new Archive();
  archive.fault = new Error('damaged');
  archive.ask('damaged', 0);
  const shown = [archive.codes, archive.noted, archive.closed];
  assert.deepEqual(shown, [['archive_unavailable'], [archive.fault], 1]);
  archive.fault = null;
  archive.ask('good', 0);
  assert.deepEqual([archive.codes, archive.opened], [['archive_unavailable', ''], 2]);
});

test('at the end nobody is left without an answer', () => {
  const archive = new Archive();
  archive.ask('late', 3);
  archive.questions.close();
  assert.deepEqual([archive.names, archive.codes, archive.closed], [['late'], ['archive_behind'], 1]);
});

test('an answer that takes several steps is worked out without waiting for the archive', () => {
  const archive = new Archive();
  archive.stepsLeft = 3;
  archive.ask('long', 0);
  assert.deepEqual([archive.told, archive.hurried], [[], []]);
  archive.ask('short', 1);
  for (let turns = 0; archive.told.length === 0; turns++) {
    assert.ok(turns < 4, 'it ends');
    for (const run of archive.scheduled.splice(0)) run();
  }
  assert.deepEqual([archive.told, archive.scheduled], [[['long', ANSWER]], []]);
  archive.seq = 1;
  archive.questions.lookAgain();
  assert.equal(archive.told.length, 2);
});
