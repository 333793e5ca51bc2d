/** Asks for the operator token, once. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Field, FieldInput, type Values } from '../parts/field.js';
import { endedBecause, logIn } from '../state/api.js';

const TOKEN: Field = {
  name: 'token',
  label: 'Operator token',
  kind: 'password',
  hint: 'It is sent once, and not kept in this browser. The first one is in the file operator-token of the data directory.',
};

export function LoginView(): JSX.Element {
  const [values, setValues] = useState<Values>({});
  const [error, setError] = useState('');
  useEffect(() => document.querySelector('input')?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const token = values[TOKEN.name]?.trim() ?? '';
    setError(token === '' ? 'Enter the operator token.' : await logIn(token));
  };
  return (
    <main class="login" id="main">
      <h1>tote console</h1>
      <form onSubmit={submit} noValidate>
        <FieldInput field={TOKEN} values={values} onChange={setValues} />
        <p class="error" role="alert">
          {error || endedBecause.value}
        </p>
        <div class="buttons">
          <button type="submit" class="primary">
            Log in
          </button>
        </div>
      </form>
    </main>
  );
}
