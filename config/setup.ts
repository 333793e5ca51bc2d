/**
 * The facts of a data directory (`engine/model/setup.ts`): the feed, the clock, and where the rules come from. A
 * variable that is not set leaves the directory's own value. One that differs is refused unless `TOTE_CHANGE_SETUP`
 * allows it: a restart that lacks a variable must not settle bets by other prices.
 */
import { type RuleLayers, type Rules, valuesOf } from '../engine/model/rules.js';
import { SETUP_FACTS, type Setup } from '../engine/model/setup.js';
import { contradictions, layeredRules, layersOf, replacedNames } from './compose.js';
import { ConfigError } from './config.js';
import { type FeedName, feedsOf } from './price-values.js';
import { type Config, VARIABLES } from './variables.js';

export type ResolvedSetup = ReturnType<typeof resolveSetup>;
/** With feed and clock resolved; `feeds` are in order of preference. */
export type RunningConfig = Readonly<ResolvedSetup['config']>;

/** For a new directory if no variable is set. */
const NEW_SETUP: Setup = { feed: 'simulated', clock: 'system', rulesFrom: 'defaults' };

/** Each fact's variable, and its word in `TOTE_CHANGE_SETUP`. */
const FACTS = {
  feed: { variable: 'TOTE_FEED', word: 'feed' },
  clock: { variable: 'TOTE_CLOCK', word: 'clock' },
  rulesFrom: { variable: 'TOTE_RULES_FILE', word: 'rules' },
} as const satisfies Readonly<Record<keyof Setup, object>>;

/** `known` is the setup in the journal, or null if it has none. Throws `ConfigError`. */
export function resolveSetup(config: Config, known: Setup | null) {
  const own = known ?? NEW_SETUP;
  const setup: Setup = {
    feed: config.feed ?? own.feed,
    clock: config.clock ?? own.clock,
    rulesFrom: config.rules?.from ?? own.rulesFrom,
  };
  const changed = known === null ? [] : SETUP_FACTS.filter((fact) => setup[fact] !== known[fact]);
  const mistakes = changed
    .filter((fact) => !config.changeSetup.includes(FACTS[fact].word))
    .map((fact) => refuseChange(fact, own, setup));
  if (config.isProduction && config.feed === null && setup.feed === 'simulated') mistakes.push(UNSAID_FEED);
  const feeds = feedsOf(setup.feed);
  if (feeds === null) mistakes.push(unknownFeed(setup.feed));
  else mistakes.push(...mistakesOfFeeds(feeds, setup, config));
  if (mistakes.length > 0 || feeds === null) throw new ConfigError(mistakes);
  return {
    config: { ...config, feed: setup.feed, feeds, clock: setup.clock },
    setup,
    /** As sentences. */
    changes: changed.map(
      (fact) => `${describeFact(fact, own)} before, ${describeFact(fact, setup)} from now on`,
    ),
  };
}

/**
 * `inForce` are the journal's rules, or null if it is new. Operators' changes at run time stay, whatever the file says.
 * Throws `ConfigError` where both together make no sense.
 */
export function resolveRules(
  { rules }: Config,
  setup: Setup,
  inForce: Rules | null,
  fingerprint: string,
): Rules {
  // Rules of a file that this start does not name stay as they are.
  if (rules === null && setup.rulesFrom === 'file' && inForce !== null) return inForce;
  const { operator } = layersOf(inForce);
  const resolved = layeredRules(fingerprint, { file: rules?.overrides ?? {}, operator });
  const changed = valuesOf(operator);
  const mistakes = changed.length === 0 ? [] : contradictions(resolved);
  if (mistakes.length === 0) return resolved;
  const names = changed.map(({ name }) => name).join(', ');
  throw new ConfigError(
    mistakes.map((mistake) => `TOTE_RULES_FILE: with what operators have changed (${names}): ${mistake}`),
  );
}

/** Values of the file that operators have changed at run time. */
export function overruled(layers: RuleLayers): string[] {
  const replaced = replacedNames(layers);
  return valuesOf(layers.file)
    .map(({ name }) => name)
    .filter((name) => replaced.has(name));
}

function refuseChange(fact: keyof Setup, own: Setup, asked: Setup): string {
  const { variable, word } = FACTS[fact];
  return (
    `${variable}: this data directory runs with ${describeFact(fact, own)}, and ${describeFact(fact, asked)} was asked for; ` +
    `leave the variable out to go on as before, or allow the change at this start with TOTE_CHANGE_SETUP=${word}`
  );
}

/** The feeds lack these. */
function mistakesOfFeeds(feeds: readonly FeedName[], setup: Setup, config: Config): string[] {
  const mistakes: string[] = [];
  const isLive = feeds.some((name) => name !== 'simulated' && name !== 'push');
  if (isLive && setup.clock === 'manual') {
    mistakes.push(`TOTE_CLOCK: live prices (the feed "${setup.feed}") need the clock "system"`);
  }
  const isUsualService = config.hermesUrl.href === VARIABLES.hermesUrl.unset.href;
  if (feeds.includes('hermes') && isUsualService && config.hermesApiKey === null) {
    mistakes.push(
      `TOTE_HERMES_API_KEY: is not set; expected the key of the service at ${config.hermesUrl.host}`,
    );
  }
  return mistakes;
}

const UNSAID_FEED =
  'TOTE_FEED: is not set, and with NODE_ENV=production prices are not simulated by default; expected hermes, coinbase or both, or push; ' +
  'or simulated, if made-up prices are meant';

const unknownFeed = (feed: string): string =>
  `TOTE_FEED: this data directory runs with the feed "${feed}", which this version does not have; start the version that ` +
  'does, or another feed with TOTE_CHANGE_SETUP=feed';

function describeFact(fact: keyof Setup, setup: Setup): string {
  if (fact === 'rulesFrom') return setup.rulesFrom === 'file' ? 'rules from a file' : 'the default rules';
  return `the ${fact} "${setup[fact]}"`;
}
