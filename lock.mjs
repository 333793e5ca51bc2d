// Adds to package-lock.json what npm leaves out of it: optional packages for other platforms, which it drops where they cannot be
// fetched. Without them `npm ci` refuses the file. Their facts follow from their names, and from the same package for this
// platform. npm adds a checksum where it next writes the file with the package at hand.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('package-lock.json', import.meta.url);
const PLATFORM = /(android|darwin|linux|win32)-(arm64|arm|x64)(-musl)?/;
const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lock;

/** Where Node finds a package that the one at `path` asks for: beside it, or in a folder above. */
function pathsFrom(path, name) {
  const folders = path
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/node_modules/'));
  return [...folders.reverse().map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
}

function entryOf(path, name, version) {
  const [platform, os, cpu, musl] = PLATFORM.exec(name);
  const sisters = [path, ''].map((at) =>
    `${at}/node_modules/${name.replace(platform, 'linux-x64')}`.replace(/^\//, ''),
  );
  const { dev, license, engines } = packages[sisters.find((sister) => packages[sister]?.version === version)];
  const libc = os === 'linux' ? [musl === undefined ? 'glibc' : 'musl'] : undefined;
  return { version, cpu: [cpu], dev, libc, license, optional: true, os: [os], engines };
}

for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const places = pathsFrom(path, name);
    const isTaken = (place) => packages[place] !== undefined;
    if (places.some((place) => packages[place]?.version === version)) continue;
    if (!/^\d/.test(version) && places.some(isTaken)) continue;
    packages[isTaken(places.at(-1)) ? places[0] : places.at(-1)] = entryOf(path, name, version);
  }
}
const sorted = Object.entries(packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
