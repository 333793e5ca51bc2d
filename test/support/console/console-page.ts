/** The console's page as `npm run build` bundles it: made here where only the server was compiled. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../http/console/page/main.js', import.meta.url));
const BUILD = fileURLToPath(new URL('../../../../build.mjs', import.meta.url));

export function buildPage(): void {
  if (!existsSync(SCRIPT)) execFileSync(process.execPath, [BUILD, '--page']);
}
