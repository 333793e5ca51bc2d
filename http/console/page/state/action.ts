/**
 * Actions of operators. Each asks for its values and a reason, shows its changes as the fields are filled in, and is
 * done by one request. One at a time is open, as a dialog over the page.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Answer } from './api.js';

export type Option = string | readonly [value: string, title: string];

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'money' | 'time' | 'select' | 'choices' | 'flag';
  /** For `select` and `choices`. */
  readonly options?: readonly Option[];
  /** For `choices`: separated by commas. */
  readonly initial?: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

export type Values = Readonly<Record<string, string>>;

/** `before` is '' for something new. */
export type Change = readonly [what: string, before: string, after: string];

export interface Action {
  readonly title: string;
  /** The meaning of the action, in a sentence or two. */
  readonly about: string;
  readonly fields?: readonly Field[];
  /** Returns the changes, or a sentence that says what is missing or wrong. */
  readonly preview: (values: Values) => readonly Change[] | string;
  /** On the button, with a verb first. */
  readonly label: string;
  readonly isDangerous?: boolean;
  /** A step on the way to a change, which needs no reason yet. */
  readonly changesNothing?: boolean;
  readonly run: (values: Values, reason: string) => Promise<Answer<unknown>>;
  /** Is shown once it is done, if there is more to show than `done`. */
  readonly result?: (data: unknown) => ComponentChildren;
  readonly done: string;
  readonly onDone?: () => void;
}

export const openAction = signal<Action | null>(null);
/** The last action, for the page's status line. */
export const notice = signal('');

export const begin = (action: Action): void => {
  openAction.value = action;
};

export const typedIn = (values: Values, name: string): string => (values[name] ?? '').trim();
