/** The engine is pure: no clock, no chance, no timers, no I/O. `test/house/rooms.test.ts` holds its imports. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { sourcesIn, visitFile } from '../house/sources.js';

const GLOBALS_FORBIDDEN = new Set([
  ...['process', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch'],
  ...['crypto', 'console', 'require', 'globalThis', 'Date', 'Worker', 'WebSocket'],
]);

test('the engine uses no clock, randomness, timer or process', () => {
  const wrong = sourcesIn('engine').flatMap((file) => {
    const found: string[] = [];
    visitFile(file, (node) => {
      if (isForbidden(node)) found.push(`${file}: ${node.parent.getText().slice(0, 60)}`);
    });
    return found;
  });
  deepEqual(wrong, []);
});

/** Also `Math.random`; not a property or a type of a forbidden name, nor the date of a given time. */
function isForbidden(node: ts.Node): boolean {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return node.text === 'random' && parent.expression.getText() === 'Math';
  }
  if (node.text === 'Date' && ts.isNewExpression(parent) && parent.arguments?.length === 1) return false;
  if (ts.isTypeReferenceNode(parent) || ts.isPropertyAssignment(parent)) return false;
  if (ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) return false;
  return GLOBALS_FORBIDDEN.has(node.text);
}
