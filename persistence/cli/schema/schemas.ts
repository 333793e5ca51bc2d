/**
 * JSON Schemas (2020-12) of what the commands print with `--json`, made by typia from the types that the commands
 * themselves use. They are open: a later version may add members, and never takes one away or gives it another meaning.
 */
import typia from 'typia';
import { must } from '../../../engine/base/assert.js';
import type { VerifyReport } from '../../upkeep/verify/verify.js';
import type {
  BackupJson,
  ExportJson,
  FailureJson,
  PruneJson,
  RestoreFromSnapshotJson,
  RestoreJson,
  RoundJson,
  SnapshotJson,
  VerifyBetJson,
  WriteOffJson,
} from '../answers/answers.js';
import type { StepJson } from '../answers/step-shape.js';
import type { AccountJson } from '../commands/account.js';
import type { BetJson } from '../commands/bet.js';
import type { StatusJson } from '../commands/status.js';

type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** In the order of their types below. */
const TITLES: Readonly<Record<string, string>> = {
  failure: 'What any command prints where it fails',
  status: 'tote status',
  verify: 'tote verify',
  backup: 'tote backup',
  restore: 'tote restore',
  snapshot: 'tote snapshot',
  prune: 'tote prune',
  'write-off': 'tote write-off',
  replay: 'tote replay: each line',
  account: 'tote account',
  round: 'tote round',
  bet: 'tote bet',
  export: 'tote export, with --out',
  'verify-bet': 'tote verify-bet',
};
export const SCHEMA_NAMES: readonly string[] = Object.keys(TITLES);

const generated = typia.json.schemas<
  [
    FailureJson,
    StatusJson,
    VerifyReport,
    BackupJson,
    RestoreJson | RestoreFromSnapshotJson,
    SnapshotJson,
    PruneJson,
    WriteOffJson,
    StepJson,
    AccountJson,
    RoundJson,
    BetJson,
    ExportJson,
    VerifyBetJson,
  ],
  '3.1'
>();

/** The schema called `name`, whole; null where there is none of that name. */
export function jsonSchema(name: string): JsonObject | null {
  const index = SCHEMA_NAMES.indexOf(name);
  if (index < 0) return null;
  const { schemas, components } = JSON.parse(JSON.stringify(generated)) as {
    schemas: JsonObject[];
    components: { schemas: JsonObject };
  };
  const root = tidy(must(schemas[index], 'a type for each title')) as JsonObject;
  const used = new Map<string, Json>();
  collect(root, components.schemas, used);
  const defs = used.size === 0 ? {} : { $defs: Object.fromEntries(used) };
  return { $schema: DIALECT, title: must(TITLES[name], 'title'), ...root, ...defs };
}

/** Puts what `schema` refers to, and what that refers to, into `used`. */
function collect(schema: Json, all: JsonObject, used: Map<string, Json>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$ref' && typeof value === 'string') {
      const target = decodeURIComponent(value.slice(DEFS.length));
      if (used.has(target)) continue;
      const found = tidy(must(all[target], 'what is referred to'));
      used.set(target, found);
      collect(found, all, used);
    } else collect(value, all, used);
  }
}

const COMPONENTS = '#/components/schemas/';
const DEFS = '#/$defs/';

/** OpenAPI's own words are left out; several constants are an `enum`; alternatives may overlap, so that they are `anyOf`. */
function tidy(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members: [name: string, value: Json][] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'discriminator' || (name === 'readOnly' && value === true)) continue;
    if (name === '$ref') members.push([name, String(value).replace(COMPONENTS, DEFS)]);
    else if (name === 'prefixItems') members.push(...tuple(value as readonly Json[]));
    else if (name === 'additionalItems') continue;
    else if (name === 'oneOf') members.push(alternatives(value as readonly JsonObject[]));
    else members.push([name, tidy(value)]);
  }
  return Object.fromEntries(members);
}

const tuple = (items: readonly Json[]): [name: string, value: Json][] => [
  ['prefixItems', tidy(items)],
  ['items', false],
  ['minItems', items.length],
];

function alternatives(options: readonly JsonObject[]): [name: string, value: Json] {
  const isConstant = (option: JsonObject): boolean => 'const' in option || option['type'] === 'null';
  if (options.every(isConstant)) return ['enum', options.map((option) => option['const'] ?? null)];
  return ['anyOf', tidy(options)];
}
