/**
 * References of deposits and withdrawals. One that is sent again moves no money again, so an answer that was lost can be
 * asked for by trying once more with the same reference.
 */
import type { Field } from '../state/action.js';

const RANDOM_BYTES = 6;

function newReference(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const digits = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `console-${new Date().toISOString().slice(0, 10)}-${digits}`;
}

export const referenceField = (): Field => ({
  name: 'reference',
  label: 'Reference',
  kind: 'text',
  initial: newReference(),
  hint: 'The same reference never moves money twice.',
});
