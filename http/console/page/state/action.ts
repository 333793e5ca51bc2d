/**
 * Actions: what an operator changes. Each asks for what it needs and a reason, shows what it will change as the fields are filled
 * in, and is done by one request. One at a time is open, as a dialog over the page.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Answer } from './api.js';

/** A value, and what it is called where that is another text. */
export type Option = string | readonly [value: string, title: string];

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'money' | 'time' | 'select' | 'choices' | 'flag';
  /** Of `select` and `choices`. */
  readonly options?: readonly Option[];
  /** Of `choices`: separated by commas. */
  readonly initial?: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

/** What was typed, by the fields' names. */
export type Values = Readonly<Record<string, string>>;

/** `before` is '' for something new. */
export type Change = readonly [what: string, before: string, after: string];

export interface Action {
  readonly title: string;
  /** What it means, in a sentence or two. */
  readonly about: string;
  readonly fields?: readonly Field[];
  /** What will change, or what is missing or wrong. */
  readonly preview: (values: Values) => readonly Change[] | string;
  /** Of the button that does it: a verb first. */
  readonly label: string;
  readonly isDangerous?: boolean;
  /** A step on the way to a change, which needs no reason yet. */
  readonly changesNothing?: boolean;
  readonly run: (values: Values, reason: string) => Promise<Answer<unknown>>;
  /** What is shown once it is done, where there is more to show than that. */
  readonly result?: (data: unknown) => ComponentChildren;
  /** The sentence that says it is done. */
  readonly done: string;
  readonly onDone?: () => void;
}

export const openAction = signal<Action | null>(null);
/** What was done last, for the page's status line. */
export const notice = signal('');

export const begin = (action: Action): void => {
  openAction.value = action;
};

export const typedIn = (values: Values, name: string): string => (values[name] ?? '').trim();
