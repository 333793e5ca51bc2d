/** docs/deploy/compose.yaml as a machine with this .env would run it, without containers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readDocument } from './document.js';

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface Compose {
  readonly services: Readonly<Record<'nats' | 'tote', ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const PARSE = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';

export const NO_YAML: string | false =
  spawnSync('python3', ['-c', 'import yaml'], { stdio: 'ignore' }).status === 0
    ? false
    : "python3's yaml is missing (package python3-yaml)";

export function composeWith(env: Readonly<Record<string, string>>): Compose {
  const text = readDocument('docs/deploy/compose.yaml').replaceAll(
    /\$\{(\w+):\?\}/g,
    (_, name: string) => env[name] ?? assert.fail(`the .env has no ${name}`),
  );
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PARSE], { input: text, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Compose;
}
