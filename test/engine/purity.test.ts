/**
 * The engine is pure: no clock, no chance, no timers, no I/O (design, section 1). What it imports is held by
 * `test/house/rooms.test.ts`.
 */
import { deepEqual, ok } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The tests run from a build folder that stands in the project's. */
const project = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Folders that a folder's sources may import from, besides packages. */
const IMPORTS_ALLOWED: Readonly<Record<string, readonly string[]>> = {
  engine: ['engine'],
  http: ['http', 'engine'],
  persistence: ['persistence', 'engine'],
};

/** What the outside world would come in by. */
const GLOBALS_FORBIDDEN = new Set([
  'process',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'crypto',
  'console',
  'require',
  'globalThis',
  'Date',
  'Worker',
  'WebSocket',
]);

function sourcesIn(folder: string): string[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(project, file), 'utf8'), ts.ScriptTarget.ES2023, true);
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

/** Module names in static and dynamic imports, exports and import types. */
function importsOf(file: string): string[] {
  const found: string[] = [];
  visit(parse(file), (node) => {
    let name: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) name = node.moduleSpecifier;
    else if (ts.isImportTypeNode(node))
      name = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      name = node.arguments[0];
    }
    if (name !== undefined) found.push(ts.isStringLiteral(name) ? name.text : name.getText());
  });
  return found;
}

/** The project's folder that a relative import leads to, or the package's name. */
function targetOf(file: string, name: string): string {
  if (!name.startsWith('.')) return name;
  const path = relative(project, normalize(join(project, dirname(file), name)));
  return path.includes('/') ? (path.split('/')[0] ?? path) : path;
}

test('engine, http and persistence import only what the design lets them', () => {
  const wrong = Object.entries(IMPORTS_ALLOWED).flatMap(([folder, allowed]) =>
    sourcesIn(folder).flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.') || folder === 'engine')
        .filter((name) => !allowed.includes(targetOf(file, name)))
        .map((name) => `${file} imports ${name}`),
    ),
  );
  ok(sourcesIn('engine').length > 10, 'the sources are where this test looks for them');
  deepEqual(wrong, []);
});

test('the engine knows no clock, no chance, no timer and no process', () => {
  const wrong = sourcesIn('engine').flatMap((file) => {
    const found: string[] = [];
    visit(parse(file), (node) => {
      if (isForbidden(node)) found.push(`${file}: ${node.parent.getText().slice(0, 60)}`);
    });
    return found;
  });
  deepEqual(wrong, []);
});

/** A use of a forbidden global, or of `Math.random`; a property or a type of that name is none. */
function isForbidden(node: ts.Node): boolean {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return node.text === 'random' && parent.expression.getText() === 'Math';
  }
  if (ts.isTypeReferenceNode(parent) || ts.isPropertyAssignment(parent)) return false;
  if (ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) return false;
  return GLOBALS_FORBIDDEN.has(node.text);
}
