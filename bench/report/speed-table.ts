/** The table at the end of a run that compares the speed goals with the results. A goal whose section did not run is listed, too. */
import { figure } from './format.js';
import { GOALS, type Goal, type GoalName, type Measured } from './goals.js';
import type { SectionResult, Table } from './section.js';

/** A section of its own, so that terminal, report and comparison treat the table like all others. */
export function speedSection(results: readonly SectionResult[]): SectionResult {
  const measured = results.flatMap(({ measured = [] }) => measured);
  const rows = (Object.keys(GOALS) as GoalName[]).map((name) =>
    speedRow(
      GOALS[name],
      measured.find(({ goal }) => goal === name),
    ),
  );
  return {
    name: 'speed',
    tables: [speedTable(rows)],
    notes: [
      'Figures of --quick, or of a busy machine, are to look at. docs/performance.md says how they are taken.',
    ],
    data: measured,
  };
}

function speedTable(rows: readonly (readonly string[])[]): Table {
  const columns = ['what', 'must', 'aim', 'measured', 'unit', 'reached', 'beside'];
  return { title: 'The speed table', columns, rows };
}

function speedRow(goal: Goal, found: Measured | undefined): string[] {
  const { what, must, aim, unit, section } = goal;
  const figures = [what, figure(must), figure(aim)];
  if (found === undefined)
    return [...figures, '-', unit, '', `not measured in this run (section ${section})`];
  return [...figures, figure(found.value), unit, reached(goal, found.value), found.beside];
}

function reached({ unit, must, aim }: Goal, value: number): string {
  const isLess = unit === 'ms' || unit === 'bytes' || unit === 'times at most';
  const holds = (bound: number): boolean => (isLess ? value <= bound : value >= bound);
  return holds(aim) ? 'aim' : holds(must) ? 'must' : 'no';
}
