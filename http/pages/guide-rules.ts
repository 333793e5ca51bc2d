/**
 * The guide's section on the rules (docs/bots/concepts.md). The file contains the defaults, which a test compares with
 * this text; the served page contains the rules in force.
 */
import { assert } from '../../engine/base/assert.js';
import { marketOf, TIME_FRAMES, timeFrameOf } from '../../engine/model/domain.js';
import type { MarketRules, Rules } from '../../engine/model/rules.js';
import {
  describeDuration,
  describeFee,
  describeKeptShare,
  describeSlippage,
} from '../openapi/describe-rules.js';

const HEADING = '## Rules';
const INTRODUCTION = `Operators can change these. The file in the repository has the defaults, the page that a server shows has its own rules. A round
keeps the fee, the limits and the times under which it opened. Examples are from a server with the defaults.`;
const NEXT_HEADING = '\n## ';

/** Replaces the section on rules, if the page has it. */
export function withRules(guide: string, rules: Rules): string {
  const begin = guide.indexOf(HEADING);
  if (begin < 0) return guide;
  const end = guide.indexOf(NEXT_HEADING, begin + 1);
  assert(end > begin, 'another section follows that on the rules');
  return guide.slice(0, begin) + rulesSection(rules) + guide.slice(end);
}

export function rulesSection(rules: Rules): string {
  const { markets, tiers } = rules;
  const rows = [
    [
      'Fee on winnings',
      `${describeFee(rules)}: a WIN pays \`amount * oddsAtBet * ${describeKeptShare(rules)}\``,
    ],
    ['Betting closes', `${describeDuration(rules.cutoffMs)} before \`lockTime\``],
    ['A round locks', `before \`endTime\`: ${byTimeFrame(markets)}`],
    ['The price at a boundary', `is at most ${range(markets, 'maxPriceAgeMs', describeDuration)} old`],
    ['`minBet` of a market', range(markets, 'minStakeCents', dollars)],
    ['`maxBet` of a market', range(markets, 'maxStakeCents', dollars)],
    ['Most that an account may stake on a bet', tiers.map(tierText).join(', ')],
    ['`expectedPercent` may differ by', describeSlippage(rules)],
    ['An Idempotency-Key is remembered for', describeDuration(rules.idempotencyTtlMs)],
    ['Open bets of an account', `at most ${count(rules.openBetsMax)}`],
    [
      'Kept of an account, besides open bets',
      `the last ${rules.historyBetsMax} placed and ${rules.historyBetsMax} settled`,
    ],
    ['Settled rounds kept of a market', `the last ${rules.settledRoundsMax}`],
  ];
  return `${HEADING}

${INTRODUCTION}

| Rule | |
|---|---|
${rows.map(([rule, value]) => `| ${rule} | ${value} |`).join('\n')}
`;
}

const count = (value: number): string => value.toLocaleString('en-US');
const dollars = (cents: number): string => `${count(cents / 100)} USD`;

const tierText = ({ tier, maxStakeCents }: Rules['tiers'][number]): string =>
  `${tier} ${maxStakeCents === 0 ? 'nothing' : dollars(maxStakeCents)}`;

/** One value if all markets agree, else the least and the greatest. */
function range(
  markets: readonly MarketRules[],
  field: 'maxPriceAgeMs' | 'minStakeCents' | 'maxStakeCents' | 'lockLeadMs',
  describe: (value: number) => string,
): string {
  const values = markets.map((market) => market[field]);
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  return least === greatest ? describe(least) : `${describe(least)} to ${describe(greatest)}, by market`;
}

function byTimeFrame(markets: readonly MarketRules[]): string {
  const frames = TIME_FRAMES.map((frame, index) => {
    const ofFrame = markets.filter(({ marketId }) => timeFrameOf(marketOf(marketId)) === index);
    return ofFrame.length === 0 ? '' : `${frame} ${range(ofFrame, 'lockLeadMs', describeDuration)}`;
  });
  return frames.filter((text) => text !== '').join(', ');
}
