/** As text, one a line: when it opens and closes, to the minute. */
export const iso = (sessions: readonly (readonly [number, number])[] | null): string[] =>
  (sessions ?? []).map(([openMs, closeMs]) =>
    [openMs, closeMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' '),
  );
