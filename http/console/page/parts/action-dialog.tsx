/**
 * The dialog of an action. It is the browser's own `dialog`, shown as a modal one: the keyboard stays in it, Escape
 * closes it, and the focus returns to where it was. While a request is under way it stays open: its result must be
 * seen.
 */
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type Action,
  type Change,
  type Field,
  notice,
  openAction,
  typedIn,
  type Values,
} from '../state/action.js';
import { isFresh } from '../state/live.js';
import { FieldInput } from './field.js';

const REASON: Field = {
  name: 'reason',
  label: 'Reason',
  kind: 'text',
  hint: 'It is kept in the journal with your name.',
};

export function ActionDialog(): JSX.Element | null {
  const action = openAction.value;
  return action === null ? null : <OpenDialog key={action.title} action={action} />;
}

function OpenDialog({ action }: { readonly action: Action }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<ComponentChildren>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={() => {
        openAction.value = null;
        // The element that had the focus may be gone by now.
        if (document.activeElement === document.body) document.getElementById('main')?.focus();
      }}
    >
      <h2 id="dialog-title">{action.title}</h2>
      {result === null ? (
        <ActionForm action={action} isBusy={isBusy} setBusy={setBusy} onResult={setResult} onEnd={close} />
      ) : (
        <>
          {result}
          <div class="buttons">
            <button type="button" class="primary" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </dialog>
  );
}

interface FormProps {
  readonly action: Action;
  readonly isBusy: boolean;
  readonly setBusy: (isBusy: boolean) => void;
  readonly onResult: (shown: ComponentChildren) => void;
  readonly onEnd: () => void;
}

function ActionForm({ action, isBusy, setBusy, onResult, onEnd }: FormProps): JSX.Element {
  const [values, setValues] = useState<Values>(() => initialOf(action));
  const [error, setError] = useState('');
  const preview = action.preview(values);
  const fields = [...(action.fields ?? []), ...(action.changesNothing === true ? [] : [REASON])];
  const reason = typedIn(values, 'reason');
  const lacking = fields.includes(REASON) && reason === '' ? 'Give a reason.' : '';
  const missing = typeof preview === 'string' ? preview : lacking;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setError(missing);
    if (missing !== '' || isBusy) return;
    setBusy(true);
    const answer = await action.run(values, reason);
    setBusy(false);
    if (!answer.ok) {
      setError(answer.error);
      return;
    }
    notice.value = action.done;
    action.onDone?.();
    const shown = action.result?.(answer.data);
    if (shown === undefined) onEnd();
    else onResult(shown);
  };
  return (
    <form onSubmit={submit} noValidate>
      <p>{action.about}</p>
      {fields.map((field) => (
        <FieldInput key={field.name} field={field} values={values} onChange={setValues} />
      ))}
      <Preview preview={preview} />
      <p class="error" role="alert">
        {isFresh.value ? error : 'The server is away. Your text stays here.'}
      </p>
      <div class="buttons">
        <button type="button" onClick={onEnd} disabled={isBusy}>
          Cancel
        </button>
        <button
          type="submit"
          class={action.isDangerous === true ? 'danger' : 'primary'}
          disabled={isBusy || !isFresh.value}
        >
          {isBusy ? 'Working …' : action.label}
        </button>
      </div>
    </form>
  );
}

const initialOf = ({ fields = [] }: Action): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial, options }) => [
      name,
      initial ?? (kind === 'select' ? String(options?.[0] ?? '') : ''),
    ]),
  );

function Preview({ preview }: { readonly preview: readonly Change[] | string }): JSX.Element {
  return (
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
}
