/** Fields with their labels and hints, for a dialog and above a list that they filter. */
import type { JSX, SelectHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

export type Option = string | readonly [value: string, title: string];

export interface Field {
  readonly name: string;
  readonly label: string;
  /** A text, if it is absent. */
  readonly kind?: keyof typeof INPUTS | 'flag';
  /** One of these is chosen, instead of typed. */
  readonly options?: readonly Option[];
  readonly initial?: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

/** By the fields' names, as they were typed. A flag that is set is `true`. */
export type Values = Readonly<Record<string, string>>;

export const initialOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial]));

const TYPED = { type: 'text', autocomplete: 'off', maxLength: 500 } as const;
const INPUTS = {
  text: TYPED,
  money: { ...TYPED, inputMode: 'decimal' },
  // Years of up to six digits would take in the first digits of the hour.
  time: { type: 'datetime-local', max: '9999-12-31T23:59' },
  password: { ...TYPED, type: 'password', autocomplete: 'current-password', spellcheck: false },
} as const;

type SelectProps = SelectHTMLAttributes & { readonly options: readonly Option[] };

export const Select = ({ options, ...attributes }: SelectProps): JSX.Element => (
  <select {...attributes}>
    {options.map((option) => {
      const [value, title] = typeof option === 'string' ? [option, option] : option;
      return (
        <option key={value} value={value}>
          {title}
        </option>
      );
    })}
  </select>
);

interface FieldsProps {
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

export function FieldInput({
  field,
  values,
  onChange,
}: FieldsProps & { readonly field: Field }): JSX.Element {
  const { name, label, kind = 'text', options, hint, isOptional = false } = field;
  const id = useId();
  const value = values[name] ?? '';
  const set = (next: string): void => onChange({ ...values, [name]: next });
  if (kind === 'flag')
    return (
      <label class="choice">
        <input type="checkbox" checked={value !== ''} onChange={() => set(value === '' ? 'true' : '')} />
        {label}
      </label>
    );
  const common = {
    id,
    value,
    required: !isOptional,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      set(event.currentTarget.value),
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="quiet"> (optional)</span>}
      </label>
      {options === undefined ? (
        <input {...common} {...INPUTS[kind]} />
      ) : (
        <Select {...common} options={options} />
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

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
