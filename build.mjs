// Compiles the project into dist/ with typia's transform. `--if-stale` returns at once when the last
// build is newer than every source, so that `npm start` costs nothing on a second start.
//
// The new build takes the place of the old one only when it is whole: two builds at once do not disturb each
// other, and a mistake in a source leaves the command line that an operator may need just then.
//
// The console's page in the browser is TypeScript of its own (http/console/page/), bundled by esbuild. `--page` builds
// nothing but that, into the dist/ that is there.
//
// The programs of a server's threads and of the command line are bundled, too, in their place in dist/: a thread that reads one file
// begins its work sooner than one that finds several hundred. The modules stay beside, for tests and benchmarks.
//
// `--watch` compiles into dist/ itself, again at each change, until it is interrupted.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.built');
const compiler = join(root, 'node_modules', 'ts-patch', 'bin', 'tspc.js');
const pageFolder = join(root, 'http', 'console', 'page');
const LEFT_AFTER_MS = 3_600_000;
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
const sources = [
  ...include.map((path) => path.split('/')[0]),
  'http/console/page',
  'tsconfig.json',
  'package.json',
];

// A folder's own time counts, because of deleted sources. Packing the client leaves its folder's time as it was.
const isNewer = (path, builtMs) => {
  const info = statSync(path);
  if (info.mtimeMs > builtMs) return true;
  return info.isDirectory() && readdirSync(path).some((name) => isNewer(`${path}/${name}`, builtMs));
};

/** `except` are folders at the top that the caller does not run. */
export function isStale(except = []) {
  if (!existsSync(stampFile)) return true;
  const builtMs = statSync(stampFile).mtimeMs;
  return sources.some((source) => !except.includes(source) && isNewer(`${root}/${source}`, builtMs));
}

/** Loaded only for a build: to find that there is nothing to do takes less time than loading it. */
const esbuild = () => import('esbuild');

/** The console's page, to be put into a build: its HTML, one script and one stylesheet. */
const pageBundle = async (into) =>
  (await esbuild()).context({
    entryPoints: ['index.html', 'icon.svg', 'main.tsx'].map((name) => join(pageFolder, name)),
    loader: { '.html': 'copy', '.svg': 'copy' },
    outdir: join(into, 'http', 'console', 'page'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    logLevel: 'warning',
  });

async function bundlePage(into) {
  const page = await pageBundle(into);
  await page.rebuild();
  await page.dispose();
}

/** Programs of processes, threads and the command line, as paths in `dir`. */
const PROGRAM = /^(main|persistence\/cli\/main|(http|persistence)\/.*worker)\.js$/;
const programs = (dir) =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    PROGRAM.test(name.replaceAll('\\', '/')),
  );

/** Packages with parts that are found by their path: native code, and files to be served. */
const UNBUNDLED = ['better-sqlite3', 'uws-*', 'swagger-ui-dist'];

/** In a bundle each module has the address that it has as a file. */
const ownAddresses = (dir, program) => ({
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!path.startsWith(dir) || !contents.includes('import.meta.url')) return undefined;
      const from = relative(dirname(join(dir, program)), path).replaceAll('\\', '/');
      const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`;
      return { contents: contents.replaceAll('import.meta.url', address) };
    });
  },
});

/** As `import` of a package in the older format would, but without a search of its source for the names that it exports. */
const required = {
  name: 'required',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `export default require(${JSON.stringify(path)});`,
    }));
  },
};

/** For packages in the older format of modules. */
const REQUIRE = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);`;

/** Each import at run time becomes a file of its own beside the program, read when it is needed. */
const bundleProgram = async (dir, program) =>
  (await esbuild()).build({
    absWorkingDir: dir,
    entryPoints: [program],
    outdir: '.',
    outbase: '.',
    splitting: true,
    chunkNames: `${dirname(program)}/[name]-[hash]`,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: UNBUNDLED,
    plugins: [required, ownAddresses(dir, program)],
    banner: { js: REQUIRE },
    sourcemap: true,
    legalComments: 'eof',
    logLevel: 'warning',
  });

/** esbuild looks at no types. Resolves with whether they are right. */
async function checkPage() {
  const checker = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const [status] = await once(
    spawn(process.execPath, [checker, '--project', pageFolder], { stdio: 'inherit' }),
    'exit',
  );
  return status === 0;
}

/** Ends with the compiler. The stamp is set after each compilation without errors, so that `npm start` uses it. */
async function watch() {
  const page = await pageBundle(dist);
  await page.watch();
  const args = ['--project', root, '--outDir', dist, '--watch', '--preserveWatchOutput'];
  const watcher = spawn(process.execPath, [compiler, ...args], { stdio: ['inherit', 'pipe', 'inherit'] });
  watcher.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    if (!text.includes('Found 0 errors')) return;
    writeFileSync(stampFile, '');
    process.stdout.write(
      'Run the server with `node dist/main.js`, tests with `node dist/test/run.js <part of a path> ...`.\n\n',
    );
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => watcher.kill(signal));
  watcher.on('exit', (code) => process.exit(code ?? 1));
}

/** Builds that were killed have left these. One that lasts does not take so long. */
function removeLeft() {
  const left = readdirSync(root).filter((name) => /^\.build-(next|old)-\d+$/.test(name));
  for (const path of left.map((name) => join(root, name))) {
    const isOwn = path.endsWith(`-${process.pid}`);
    const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (isOwn || Date.now() - writtenMs > LEFT_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}

async function build() {
  const startedMs = performance.now();
  process.stdout.write('Building tote: half a minute on an idle machine, minutes on a busy one ...\n');
  // Into an empty folder: a deleted source must not live on as a compiled file, since tests are found in dist/.
  const next = join(root, `.build-next-${process.pid}`);
  const old = join(root, `.build-old-${process.pid}`);
  try {
    removeLeft();
    mkdirSync(next);
  } catch ({ message }) {
    // The compiler would say it of each file.
    process.stderr.write(
      `tote cannot be built here: ${message}. A user who may write there does it: npm run build\n`,
    );
    process.exit(1);
  }
  const options = ['--project', root, '--outDir', next];
  // On the other core meanwhile.
  const pageIsRight = checkPage();
  const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
  if (status !== 0 || !(await pageIsRight)) {
    rmSync(next, { recursive: true, force: true });
    process.exit(status || 1);
  }
  await bundlePage(next);
  await Promise.all(programs(next).map((program) => bundleProgram(next, program)));
  writeFileSync(join(next, '.built'), '');
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(next, dist);
  rmSync(old, { recursive: true, force: true });
  process.stdout.write(`Built in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--watch')) await watch();
  else if (process.argv.includes('--page')) await bundlePage(dist);
  else if (!process.argv.includes('--if-stale') || isStale()) await build();
}
