/** Small parts that all views use. */
import type { ComponentChildren, JSX } from 'preact';

/** A table that scrolls sideways by itself where it does not fit; the keyboard can scroll it, too. */
export function Table({
  caption,
  head,
  children,
}: {
  readonly caption: string;
  /** Columns; those with a `#` in front hold numbers, those with a `~` are left out where there is little room. */
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" class={classOf(name)}>
                {name.replace(/^[#~]+/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const classOf = (name: string): string =>
  `${name.includes('#') ? 'number' : ''} ${name.includes('~') ? 'wide' : ''}`.trim();

type Tone = 'good' | 'bad' | 'warn' | 'plain';

export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A figure with its name. */
export function Figure({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const Figures = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <dl class="figures">{children}</dl>
);

/** What stands in place of data that are not there. */
export function Loading({ error }: { readonly error: string }): JSX.Element {
  return error === '' ? (
    <p class="quiet">Loading …</p>
  ) : (
    <p class="error" role="alert">
      {error}
    </p>
  );
}
