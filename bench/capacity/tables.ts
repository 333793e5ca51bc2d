/** The plan as text: the tables of docs/capacity.md. */
import { figure, tableText } from '../report/format.js';
import { COST_NAMES } from './measured.js';
import type { Given } from './options.js';
import type { Plan } from './plan.js';

const GB = 1e9;
const giga = (value: number): string => figure(Number((value / GB).toPrecision(3)));
const whole = (value: number): string => figure(Math.round(value));
const rounded = (value: number): string => figure(Number(value.toPrecision(3)));

export function planText({ asked, measured }: Given, plan: Plan): string {
  const { bounds, cells, machines, ofCell, pools } = plan;
  const title = `${figure(asked.orders)} orders a second, ${figure(asked.accounts)} accounts: ${figure(cells)} cells, ${figure(
    machines.servers + machines.witnesses,
  )} machines with ${figure(asked.cores)} cores and ${figure(asked.memoryGb)} GB`;
  return [
    title,
    '',
    tableText({
      title: 'CPU time of an order, microseconds, as measured or given',
      columns: ['thread', 'us'],
      rows: COST_NAMES.map((name) => [name.slice(0, -2), figure(measured[name])]),
    }),
    tableText({
      title:
        'What a cell has only so much of, and the cells that all of it takes: what breaks first stands first',
      columns: ['', 'of a cell', 'in', 'cells', 'more of it'],
      rows: bounds.map(({ what, ofCell: has, unit, cells: needs, more }) => [
        what,
        whole(has),
        unit,
        figure(needs),
        more,
      ]),
    }),
    tableText({
      title: 'One cell of that many, at the peak',
      columns: ['', 'figure', 'in'],
      rows: [
        ['orders', whole(ofCell.orders), 'a second'],
        ['accounts', whole(ofCell.accounts), ''],
        ['connections', whole(ofCell.connections), ''],
        ['cores busy on the machine that leads', rounded(ofCell.cores), 'cores'],
        ['of these, its NATS server', rounded(ofCell.coresOfNats), 'cores'],
        ['memory', giga(ofCell.memoryBytes), 'GB'],
        ['network, clients', giga(ofCell.publicBitsPerSecond), 'Gbit/s'],
        ['network, replication', giga(ofCell.replicationBitsPerSecond), 'Gbit/s'],
        ['commits, at the most', whole(ofCell.commitsPerSecond), 'a second'],
        ['journal written', giga(ofCell.journalBytesPerDay), 'GB a day'],
        [`journal kept, ${figure(asked.retentionDays)} days`, giga(ofCell.journalBytesKept), 'GB'],
        ['archive, stays', giga(ofCell.archiveBytesPerDay), 'GB a day'],
      ],
    }),
    tableText({
      title: 'All cells',
      columns: ['', 'figure', 'in'],
      rows: [
        ['machines with tote and NATS: a leader and a standby each', figure(machines.servers), ''],
        ['machines with third NATS servers', figure(machines.witnesses), ''],
        ['cores busy', whole(cells * ofCell.cores), 'of those that lead'],
        ['network, clients', giga(cells * ofCell.publicBitsPerSecond), 'Gbit/s'],
        ['network, replication', giga(cells * ofCell.replicationBitsPerSecond), 'Gbit/s'],
        [
          'journal and archive',
          giga(cells * (ofCell.journalBytesPerDay + ofCell.archiveBytesPerDay)),
          'GB a day, each copy',
        ],
        [
          'into the aggregator: all markets of all cells',
          giga(cells * measured.marketsStreamBytesPerSecond * 8),
          'Gbit/s',
        ],
        ['accounts without orders while one cell changes its leader', rounded(100 / cells), '%'],
      ],
    }),
    tableText({
      title:
        "Pools of a market of five minutes at the average load; differences of one side's share in percentage points",
      columns: [
        'what pays',
        'pool $',
        'cells differ by',
        'shown differs by',
        '$1,000 moves it by',
        'seeds of all $',
      ],
      rows: pools.map(({ choice, dollars, spread, shownBeside, slippage, seeds }) => [
        choice,
        whole(dollars),
        rounded(spread),
        rounded(shownBeside),
        rounded(slippage),
        whole(seeds),
      ]),
    }),
  ]
    .join('\n')
    .trimEnd();
}
