/** All routes of the operator API. */
import { accountRoutes } from './accounts.js';
import type { Route } from './call.js';
import { controlRoutes } from './control.js';
import { keyRoutes } from './keys.js';
import { type SandboxOptions, sandboxRoutes } from './sandbox.js';
import { type StatusSources, statusRoutes } from './status.js';

/** `status` is null for a server that does not run in a process of its own, as in tests. */
export function operatorRoutes(options: SandboxOptions, status: StatusSources | null): Route[] {
  return [
    ...accountRoutes(options.sequencer),
    ...keyRoutes(options.sequencer),
    ...controlRoutes(options.sequencer),
    ...sandboxRoutes(options),
    ...(status === null ? [] : statusRoutes(status)),
  ];
}
