/** The project's own sources, read with the compiler's parser, so that comments and strings do not count as code. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The tests run from a build folder in the project. */
export const project = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const PRODUCT = [
  'config',
  'crypto',
  'engine',
  'feeds',
  'http',
  'persistence',
  'process',
  'start',
  'client',
];

export function sourcesIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join(folder, name))
    .sort();
}

export const textOf = (file: string): string => readFileSync(join(project, file), 'utf8');

export const visitFile = (file: string, look: (node: ts.Node) => void): void =>
  visitText(file, textOf(file), look);

export function visitText(file: string, text: string, look: (node: ts.Node) => void): void {
  const visit = (node: ts.Node): void => {
    look(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
}

/** `new URL('./x.js', ...)` names the file of a worker thread. */
function isUrlOfSource(node: ts.Node): node is ts.NewExpression {
  return ts.isNewExpression(node) && node.expression.getText() === 'URL';
}

export function importsOf(file: string): string[] {
  const found: string[] = [];
  visitFile(file, (node) => {
    let name: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) name = node.moduleSpecifier;
    else if (ts.isImportTypeNode(node))
      name = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      name = node.arguments[0];
    else if (isUrlOfSource(node) && node.arguments?.[0]?.getText().endsWith(".js'")) name = node.arguments[0];
    if (name !== undefined) found.push(ts.isStringLiteral(name) ? name.text : name.getText());
  });
  return found;
}

export function targetOf(file: string, name: string): string {
  if (!name.startsWith('.')) return name;
  return posix.dirname(posix.join(posix.dirname(file), name));
}
