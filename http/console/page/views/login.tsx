/** Asks for the operator token, once. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { logIn } from '../state/api.js';
import { endedBecause } from '../state/session.js';

export function LoginView(): JSX.Element {
  const [error, setError] = useState(endedBecause.value);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? '';
    if (token === '') {
      setError('Enter the operator token.');
      return;
    }
    setBusy(true);
    const failed = await logIn(token);
    setBusy(false);
    setError(failed);
  };
  return (
    <main class="login" id="main">
      <h1>tote console</h1>
      <form onSubmit={submit} noValidate>
        <div class="field">
          <label for="token">Operator token</label>
          <input
            id="token"
            ref={input}
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            maxLength={255}
            required
            aria-describedby="token-hint"
          />
          <p class="hint" id="token-hint">
            It is sent once, and not kept in this browser. The first one is in the file operator-token of the
            data directory.
          </p>
        </div>
        <p class="error" role="alert">
          {error}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Logging in …' : 'Log in'}
          </button>
        </div>
      </form>
    </main>
  );
}
