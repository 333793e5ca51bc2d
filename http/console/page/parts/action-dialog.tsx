/**
 * The dialog of an action. It is the browser's own `dialog`, shown as a modal one: the keyboard stays in it, Escape closes it, and the
 * focus returns to where it was. While a request is under way it stays open: what becomes of it must be seen.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, type Change, notice, openAction, type Values } from '../state/action.js';
import { FieldInput } from './field.js';

const REASON_LENGTH_MAX = 500;

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
        // What had the focus before may be gone by now.
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
  const [reason, setReason] = useState('');
  const [error, setError] = useState('');
  const preview = action.preview(values);
  const asksReason = action.changesNothing !== true;
  const missing = missingOf(preview, asksReason && reason.trim() === '');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setError(missing);
    if (missing !== '' || isBusy) return;
    setBusy(true);
    const answer = await action.run(values, reason.trim());
    setBusy(false);
    if (!answer.ok) {
      setError(answer.error);
      return;
    }
    notice.value = action.done;
    action.onDone();
    const shown = action.result?.(answer.data);
    if (shown === undefined) onEnd();
    else onResult(shown);
  };
  return (
    <form onSubmit={submit} noValidate>
      <p>{action.about}</p>
      {action.fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          values={values}
          onChange={(name, value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {asksReason && <ReasonField reason={reason} onChange={setReason} />}
      <Preview preview={preview} />
      <p class="error" role="alert">
        {error}
      </p>
      <div class="buttons">
        <button type="button" onClick={onEnd} disabled={isBusy}>
          Cancel
        </button>
        <button type="submit" class={action.isDangerous === true ? 'danger' : 'primary'} disabled={isBusy}>
          {isBusy ? 'Working …' : action.label}
        </button>
      </div>
    </form>
  );
}

const missingOf = (preview: readonly Change[] | string, lacksReason: boolean): string => {
  if (typeof preview === 'string') return preview;
  return lacksReason ? 'Give a reason.' : '';
};

interface ReasonProps {
  readonly reason: string;
  readonly onChange: (reason: string) => void;
}

function ReasonField({ reason, onChange }: ReasonProps): JSX.Element {
  return (
    <div class="field">
      <label for="field-reason">Reason</label>
      <input
        id="field-reason"
        type="text"
        required
        autocomplete="off"
        maxLength={REASON_LENGTH_MAX}
        value={reason}
        aria-describedby="field-reason-hint"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <p class="hint" id="field-reason-hint">
        It is kept in the journal with your name.
      </p>
    </div>
  );
}

const initialOf = ({ fields }: Action): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial, options }) => [
      name,
      initial ?? (kind === 'select' ? (options?.[0] ?? '') : ''),
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
          {preview.map(({ what, before, after }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                {before !== '' && (
                  <>
                    <span class="before">{before}</span>
                    <span aria-hidden="true"> → </span>
                    <span class="hidden"> becomes </span>
                  </>
                )}
                <strong>{after}</strong>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
