/** Copies a text, and says that it has. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(`${what} copied`);
    } catch {
      // Browsers give the clipboard to pages over TLS or on this machine alone.
      setSaid('This browser does not allow it: select the text instead');
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        Copy {what}
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}
