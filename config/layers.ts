/**
 * Rules in layers: the defaults, what a file says, and what operators have changed at run time, which wins. The two last are
 * kept with the rules in the journal (`RuleLayers`), so a later start knows what operators have changed and does not undo it.
 */
import type { RuleLayers, Rules, RuleValue } from '../engine/model/rules.js';
import { withOverrides } from './compose.js';
import type { RulesOverrides } from './overrides.js';

type Value = RuleValue['value'];
type Tree = { readonly [name: string]: unknown };

/** `limits.BTC.house.seedCents`: what is nested deeper is no rule, and is not looked into. */
const LEVELS_MAX = 4;

export const NO_LAYERS: RuleLayers = { file: [], changes: [] };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of overrides by name, in the order of their names. Those that `known` has stay as old as they are. */
export function valuesOf(overrides: RulesOverrides, known: readonly RuleValue[], nowMs: number): RuleValue[] {
  const before = new Map(known.map((one) => [one.name, one]));
  return leavesOf(overrides, '').map(({ name, value }) => {
    const same = before.get(name);
    const isSame = same !== undefined && JSON.stringify(same.value) === JSON.stringify(value);
    return { name, value, sinceMs: isSame ? same.sinceMs : nowMs };
  });
}

function leavesOf(tree: object, prefix: string): { readonly name: string; readonly value: Value }[] {
  return Object.entries(tree)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]) =>
      isTree(value)
        ? leavesOf(value, `${prefix}${key}.`)
        : [{ name: `${prefix}${key}`, value: value as Value }],
    );
}

/** The other way round. Names have been checked: they are those of overrides. */
export function overridesOf(values: readonly RuleValue[]): RulesOverrides {
  let tree: Tree = {};
  for (const { name, value } of values) tree = withLeaf(tree, name.split('.'), value);
  return tree as RulesOverrides;
}

function withLeaf(tree: Tree, [key = '', ...rest]: readonly string[], value: Value): Tree {
  const inner = tree[key];
  return { ...tree, [key]: rest.length === 0 ? value : withLeaf(isTree(inner) ? inner : {}, rest, value) };
}

/** The rules of these layers. */
export function layeredRules(masterSecretFingerprint: string, layers: RuleLayers): Rules {
  const rules = withOverrides(masterSecretFingerprint, overridesOf(layers.file), overridesOf(layers.changes));
  return layers.file.length === 0 && layers.changes.length === 0 ? rules : { ...rules, layers };
}

export const layersOf = (rules: Rules): RuleLayers => rules.layers ?? NO_LAYERS;

/**
 * `changes` merged into what operators have changed before: a value replaces one, null gives it back to the file or the
 * default. Mistakes name nulls where nothing has been changed.
 */
export function merged(
  before: RulesOverrides,
  changes: Tree,
): { readonly tree: Tree; readonly mistakes: string[] } {
  const mistakes: string[] = [];
  return { tree: mergedTree(before, changes, '', LEVELS_MAX, mistakes), mistakes };
}

function mergedTree(
  before: object,
  changes: Tree,
  prefix: string,
  levelsLeft: number,
  mistakes: string[],
): Tree {
  const after = new Map<string, unknown>(Object.entries(before));
  for (const [key, value] of Object.entries(changes)) {
    const known = after.get(key);
    if (value === null) {
      if (!after.delete(key)) mistakes.push(`${prefix}${key}: nothing has been changed there at run time`);
    } else if (isTree(value) && levelsLeft > 1) {
      const below = isTree(known) ? known : {};
      const inner = mergedTree(below, value, `${prefix}${key}.`, levelsLeft - 1, mistakes);
      if (Object.keys(inner).length === 0) after.delete(key);
      else after.set(key, inner);
    } else after.set(key, value);
  }
  return Object.fromEntries(after);
}
