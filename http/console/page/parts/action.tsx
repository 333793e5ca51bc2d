/**
 * Actions of operators, the button that begins one, and its dialog. An action asks for its values and a reason, shows
 * its changes as the fields are filled in, and is done by one request.
 *
 * The dialog is the browser's own `dialog`, shown as a modal one: the keyboard stays in it, Escape closes it, and the
 * focus returns to where it was. While a request is under way it stays open: its result must be seen.
 */
import { signal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OperatorRole } from '../../../../engine/model/operators.js';
import { type Answer, endedBecause, may, operator, type Request, session } from '../state/api.js';
import { isFresh } from '../state/live.js';
import { type Field, FieldInput, initialOf, type Values } from './field.js';

/** `before` is '' for something new. */
export type Change = readonly [what: string, before: string, after: string];

export interface Action {
  /** The least that may do it. */
  readonly role: OperatorRole;
  /** On its buttons. */
  readonly verb: string;
  /** Together with the verb the title: `key_1`, or `to key_1`. */
  readonly target?: string;
  /** The meaning of the action, in a sentence or two. */
  readonly about: string;
  readonly fields?: readonly Field[];
  /** Returns the changes, or a sentence that says what is missing or wrong. */
  readonly preview: (typed: Values) => readonly Change[] | string;
  readonly isDangerous?: boolean;
  /** The reason is added to its body. */
  readonly request: (typed: Values) => Request;
  /** Is shown once it is done, if there is anything to show. */
  readonly result?: (data: unknown) => ComponentChildren;
  /** Its request has changed nothing yet, and needs no reason: this action does, after the answer. */
  readonly next?: (data: unknown, typed: Values) => Action;
}

interface ActProps {
  readonly action: Action;
  readonly onDone?: ((data: unknown) => void) | undefined;
}

interface Opened extends ActProps {
  /** The id of the button that has opened it. */
  readonly by: string;
  /** The action whose answer has led to this one. */
  readonly first?: Action;
}

const opened = signal<Opened | null>(null);
/** The last action, for the page's status line. */
export const notice = signal('');

const titleOf = ({ verb, target = '' }: Action): string => `${verb} ${target}`.trim();

/**
 * Not there for a role that may not do it. Its open dialog shows what the view knows by now, but never turns into
 * another action.
 */
export function Act(props: ActProps): JSX.Element | null {
  const { action } = props;
  const by = useId();
  useEffect(() => {
    const shown = opened.peek();
    if (shown?.by === by && titleOf(shown.action) === titleOf(action)) opened.value = { ...props, by };
  });
  // While it is still there: a void takes its button away, and the keyboard would go on from the page's beginning.
  useLayoutEffect(
    () => () => {
      if (document.activeElement?.id === by) document.getElementById('main')?.focus();
    },
    [by],
  );
  if (!may(action.role)) return null;
  return (
    <button
      type="button"
      id={by}
      aria-label={titleOf(action)}
      disabled={!isFresh.value}
      onClick={() => (opened.value = { ...props, by })}
    >
      {action.verb}
    </button>
  );
}

export function ActionDialog(): JSX.Element | null {
  // The next session does not go on with what the one before had begun.
  const forget = (): void => {
    opened.value = null;
    notice.value = '';
  };
  useEffect(() => forget, []);
  return opened.value === null ? null : <OpenDialog key={opened.value.by} {...opened.value} />;
}

/** A sentence, or ''. Half of a time has no value, and would be left out. */
function missingIn(form: EventTarget | null, { next }: Action, typed: Values): string {
  const half = (form as HTMLFormElement).querySelector('[type=datetime-local]:invalid');
  if (half !== null) return 'Complete the time.';
  return next === undefined && !typed['reason'] ? 'Give a reason.' : '';
}

/** Money or a key may have moved: whoever logs in next must not do it again. */
function tellLate(action: Action, answer: Answer<unknown>): void {
  const told = session.value === null ? endedBecause : notice;
  told.value = `The session has ended. Its last request, ${titleOf(action)}: ${answer.ok ? doneBy(action) : answer.error}`;
}

function doneBy({ next, result }: Action): string {
  if (next !== undefined) return 'nothing was changed.';
  return result === undefined ? 'done.' : 'done, and its answer was not shown.';
}

const REASON: Field = { name: 'reason', label: 'Reason', hint: 'It is kept in the journal with your name.' };

function OpenDialog({ action, onDone, by, first }: Opened): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const fields = [...(action.fields ?? []), ...(action.next === undefined ? [REASON] : [])];
  const [values, setValues] = useState(() => initialOf(fields));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const [result, setResult] = useState<ComponentChildren>(null);
  // The element that had the focus is gone with what the dialog has shown before.
  useEffect(
    () => dialog.current?.querySelector<HTMLElement>('input, select, button')?.focus(),
    [first, result],
  );
  const close = (): void => dialog.current?.close();
  const typed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
  const preview = action.preview(typed);
  const finish = (data: unknown, isReplay: boolean): void => {
    if (action.next !== undefined) {
      opened.value = { action: action.next(data, typed), onDone, by, first: action };
      return;
    }
    notice.value = `${titleOf(action)}: ${isReplay ? 'the same was done before with this reference, and not again.' : 'done.'}`;
    onDone?.(data);
    if (action.result === undefined) close();
    else setResult(action.result(data));
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const missing = typeof preview === 'string' ? preview : missingIn(event.currentTarget, action, typed);
    setError(missing);
    if (missing !== '' || isBusy) return;
    setBusy(true);
    const [method, path, body, headers] = action.request(typed);
    const answer = await operator(method, path, { ...body, reason: typed['reason'] }, headers);
    // The session has ended meanwhile, and the next one may be another operator's.
    if (dialog.current === null) return tellLate(action, answer);
    setBusy(false);
    if (answer.ok) return finish(answer.data, answer.isReplay);
    setError(answer.error);
    if (!answer.error.startsWith('preview_outdated')) return;
    // The action as shown would be refused again and again: the view and the first action show what holds now.
    onDone?.(null);
    if (first !== undefined) opened.value = { action: first, onDone, by };
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={() => {
        // Chromium closes it at the third Escape whatever is said to the others.
        if (isBusy) return dialog.current?.showModal();
        opened.value = null;
        // The button may be gone by now.
        (document.getElementById(by) ?? document.getElementById('main'))?.focus();
      }}
    >
      <h2 id="dialog-title">{titleOf(action)}</h2>
      <div role="status">{result}</div>
      {result === null && (
        <form id="action" onSubmit={submit} noValidate>
          <p>{action.about}</p>
          {fields.map((field) => (
            <FieldInput key={field.name} field={field} values={values} onChange={setValues} />
          ))}
          <Preview preview={preview} />
          <p class="error" role="alert">
            {isFresh.value ? error : 'The server is away. Your text stays here.'}
          </p>
        </form>
      )}
      <div class="buttons">
        <button type="button" onClick={close} disabled={isBusy}>
          {result === null ? 'Cancel' : 'Close'}
        </button>
        {result === null && <SubmitButton action={action} isBusy={isBusy} />}
      </div>
    </dialog>
  );
}

const SubmitButton = ({
  action,
  isBusy,
}: {
  readonly action: Action;
  readonly isBusy: boolean;
}): JSX.Element => (
  <button
    type="submit"
    form="action"
    class={action.isDangerous === true ? 'danger' : 'primary'}
    disabled={isBusy || !isFresh.value}
  >
    {isBusy ? 'Working …' : action.next === undefined ? action.verb : 'Show what changes'}
  </button>
);

const Preview = ({ preview }: { readonly preview: readonly Change[] | string }): JSX.Element => (
  <section class="preview" aria-live="polite">
    <h3>This changes</h3>
    {typeof preview === 'string' ? (
      <p class="quiet">{preview}</p>
    ) : (
      <dl>
        {preview.map(([what, before, after]) => (
          <Fragment key={what}>
            <dt>{what}</dt>
            <dd>
              {before !== '' && (
                <span class="quiet">
                  {before} <span aria-hidden="true">→</span> <span class="hidden">becomes</span>{' '}
                </span>
              )}
              <strong>{after}</strong>
            </dd>
          </Fragment>
        ))}
      </dl>
    )}
  </section>
);
