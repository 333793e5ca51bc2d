/** One field of a dialog, with its label and its hint. */
import type { JSX } from 'preact';
import type { Field, Values } from '../state/action.js';

interface FieldProps {
  readonly field: Field;
  readonly values: Values;
  readonly onChange: (name: string, value: string) => void;
}

export function FieldInput({ field, values, onChange }: FieldProps): JSX.Element {
  const { name, label, kind, hint, isOptional = false } = field;
  const id = `field-${name}`;
  if (kind === 'choices') return <Choices field={field} values={values} onChange={onChange} />;
  const common = {
    id,
    name,
    value: values[name] ?? '',
    required: !isOptional,
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="quiet"> (optional)</span>}
      </label>
      {kind === 'select' ? (
        <select {...common} onChange={(event) => onChange(name, event.currentTarget.value)}>
          {field.options?.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : kind === 'time' ? (
        <input
          {...common}
          type="datetime-local"
          onInput={(event) => onChange(name, event.currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind === 'money' ? 'decimal' : 'text'}
          autocomplete="off"
          maxLength={255}
          onInput={(event) => onChange(name, event.currentTarget.value)}
        />
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The chosen ones are one value, separated by commas. */
function Choices({ field, values, onChange }: FieldProps): JSX.Element {
  const chosen = (values[field.name] ?? '').split(',').filter((choice) => choice !== '');
  const toggle = (option: string): void => {
    const next = field.options?.filter((each) => (each === option) !== chosen.includes(each)) ?? [];
    onChange(field.name, next.join(','));
  };
  return (
    <fieldset class="field">
      <legend>{field.label}</legend>
      {field.options?.map((option) => (
        <label key={option} class="choice">
          <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />
          {option}
        </label>
      ))}
      {field.hint !== undefined && <p class="hint">{field.hint}</p>}
    </fieldset>
  );
}
