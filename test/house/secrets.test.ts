/**
 * Nobody learns a secret from the time that a comparison takes: clients' texts are held against a secret by
 * `timingSafeEqual`, in the functions that are listed here, and nowhere by `===` or by a search. Secrets are known by
 * their names, and by the names of their sources. No clock is read.
 */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { sourcesIn, textOf, visitText } from './sources.js';

const FOLDERS = ['http', 'config', 'crypto', 'persistence/data-dir'];

const COMPARING = [
  'http/console/sessions.ts read',
  'http/console/sessions.ts refuseForgery',
  'http/operator/access/token-guard.ts #find',
];

/** Comparisons of names like a secret's that tell nothing of one, each with the reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'http/operator/access/token-guard.ts token.digest === digest': 'both are of tokens that were accepted',
  'http/gateway/port-certificates.ts certificate.digest === held.certificate.digest':
    'certificates are public',
  'http/board/rights.ts this.words[start + word] !== digest[word]':
    'SHA-256 of an API key: its digits, which the time could tell, are not those of the key',
  'persistence/data-dir/operator-tokens.ts digest === value.sha256': 'both are lines of the file of tokens',
};

const SECRET = /(token|secret|apiKey|password|authorization|cookie|signature|hmac|digest|sessionId)$/i;
/** These make of a secret another one. */
const DERIVES = /^(from|trim|toString|toLowerCase|slice|concat|hash|digest|update|keyDigest|digestWords)$/;
const COMPARES = /^(equals|compare|localeCompare|startsWith|endsWith|includes|indexOf|isDeepStrictEqual)$/;
const EQUALITY: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
];

function lastName(node: ts.Node): string {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return node.text.replace('#', '');
  if (ts.isPropertyAccessExpression(node)) return lastName(node.name);
  return '';
}

class Finder {
  readonly found: string[] = [];
  readonly comparing = new Set<string>();
  readonly #derived = new Set<string>();

  constructor(
    private readonly file: string,
    text: string,
  ) {
    const nodes: ts.Node[] = [];
    visitText(file, text, (node) => nodes.push(node));
    // Twice, because a variable may be made of another one that stands behind it.
    for (let pass = 0; pass < 2; pass++) for (const node of nodes) this.#noteDerived(node);
    for (const node of nodes) this.#look(node);
  }

  #noteDerived(node: ts.Node): void {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return;
    if (node.initializer !== undefined && this.#isSecret(node.initializer)) this.#derived.add(node.name.text);
  }

  #look(node: ts.Node): void {
    if (ts.isCallExpression(node)) this.#lookAtCall(node);
    if (ts.isSwitchStatement(node) && this.#isSecret(node.expression)) this.#find(node.expression);
    if (!ts.isBinaryExpression(node) || !EQUALITY.includes(node.operatorToken.kind)) return;
    const sides = [node.left, node.right];
    if (sides.some((side) => this.#isSecret(side)) && !sides.some(isConstant)) this.#find(node);
  }

  #lookAtCall(call: ts.CallExpression): void {
    const name = lastName(call.expression);
    if (name === 'timingSafeEqual') this.comparing.add(`${this.file} ${functionAround(call)}`);
    if (!COMPARES.test(name)) return;
    const { expression } = call;
    const compared = ts.isPropertyAccessExpression(expression)
      ? [expression.expression, ...call.arguments]
      : call.arguments;
    if (compared.some((one) => this.#isSecret(one)) && !compared.some(isConstant)) this.#find(call);
  }

  #find(node: ts.Node): void {
    this.found.push(`${this.file} ${node.getText()}`);
  }

  #isSecret(node: ts.Node): boolean {
    if (ts.isIdentifier(node) && this.#derived.has(node.text)) return true;
    if (SECRET.test(lastName(node))) return true;
    if (ts.isElementAccessExpression(node)) return this.#isSecret(node.expression);
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node))
      return this.#isSecret(node.expression);
    if (!ts.isCallExpression(node)) return false;
    const { expression } = node;
    if (!DERIVES.test(lastName(expression))) return false;
    const parts = ts.isPropertyAccessExpression(expression)
      ? [expression.expression, ...node.arguments]
      : node.arguments;
    return parts.some((part) => this.#isSecret(part));
  }
}

const KEYWORDS: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.TrueKeyword,
  ts.SyntaxKind.FalseKeyword,
];

/** Constants of the source are no secret: '', null, undefined, a number, a constant of the module. */
function isConstant(node: ts.Node): boolean {
  if (ts.isPrefixUnaryExpression(node)) return isConstant(node.operand);
  const isNamed = ts.isIdentifier(node) && /^(undefined|[A-Z][A-Z0-9_]*)$/.test(node.text);
  return isNamed || ts.isLiteralExpression(node) || KEYWORDS.includes(node.kind);
}

function functionAround(node: ts.Node): string {
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined)
      return at.name.getText();
  }
  return 'no function';
}

test('secrets are compared by timingSafeEqual, in the functions listed here, and nowhere otherwise', () => {
  const finders = FOLDERS.flatMap(sourcesIn).map((file) => new Finder(file, textOf(file)));
  const found = finders.flatMap((finder) => finder.found);
  deepEqual(found.sort(), Object.keys(HARMLESS).sort());
  const comparing = finders.flatMap(({ comparing }) => [...comparing]);
  deepEqual(comparing, COMPARING);
});

const PLANTED = [
  [
    'http/operator/access/token-guard.ts',
    'timingSafeEqual(digest, known.digest)',
    'digest.equals(known.digest)',
  ],
  ['http/operator/access/token-guard.ts', 'timingSafeEqual(digest, known.digest)', 'known.digest === digest'],
  [
    'http/console/sessions.ts',
    'sent.length === expected.length && timingSafeEqual(sent, expected)',
    'browser.csrfToken == session.csrfToken',
  ],
  [
    'http/operator/access/token-guard.ts',
    'const digest = keyDigest(token)',
    'if (token === this.only) return this.only; const digest = ""',
  ],
] as const;

for (const [file, real, planted] of PLANTED) {
  test(`${planted} in ${file} would be found`, () => {
    const text = textOf(file);
    const [before, after] = [text, text.replace(real, planted)].map((it) => new Finder(file, it).found);
    deepEqual([text.split(real).length, after?.length], [2, (before?.length ?? 0) + 1], planted);
  });
}
