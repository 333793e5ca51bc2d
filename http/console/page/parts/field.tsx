/** Fields with their labels and hints, for a dialog and above a list that they filter. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Field, Option, Values } from '../state/action.js';

interface FieldsProps {
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

export function FieldInput({
  field,
  values,
  onChange,
}: FieldsProps & { readonly field: Field }): JSX.Element {
  const { name, label, kind, options = [], hint, isOptional = false } = field;
  const id = useId();
  const value = values[name] ?? '';
  const set = (next: string): void => onChange({ ...values, [name]: next });
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(event.currentTarget.value);
  const choice = (option: string, isChosen: boolean, next: () => string): JSX.Element => (
    <label key={option} class="choice">
      <input type="checkbox" checked={isChosen} onChange={() => set(next())} />
      {option}
    </label>
  );
  if (kind === 'flag') return choice(label, value !== '', () => (value === '' ? 'true' : ''));
  if (kind === 'choices') {
    // The chosen options are one value, separated by commas.
    const all = options.map((option) => partsOf(option)[0]);
    const chosen = value.split(',');
    const without = (option: string): string =>
      all.filter((each) => (each === option) !== chosen.includes(each)).join(',');
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        {all.map((option) => choice(option, chosen.includes(option), () => without(option)))}
        {hint !== undefined && <p class="hint">{hint}</p>}
      </fieldset>
    );
  }
  const hinted = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  const common = { id, name, value, required: !isOptional, onInput, ...hinted };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="quiet"> (optional)</span>}
      </label>
      {kind === 'select' ? (
        <select {...common}>
          {options.map(partsOf).map(([option, title]) => (
            <option key={option} value={option}>
              {title}
            </option>
          ))}
        </select>
      ) : kind === 'time' ? (
        <input {...common} type="datetime-local" />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind === 'money' ? 'decimal' : 'text'}
          autocomplete="off"
          maxLength={500}
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

const partsOf = (option: Option): readonly [value: string, title: string] =>
  typeof option === 'string' ? [option, option] : option;

/** The list follows each change at once. */
export const Filters = ({
  fields,
  values,
  onChange,
}: FieldsProps & { readonly fields: readonly Field[] }): JSX.Element => (
  <fieldset class="filters">
    <legend class="hidden">Show</legend>
    {fields.map((field) => (
      <FieldInput key={field.name} field={field} values={values} onChange={onChange} />
    ))}
  </fieldset>
);
