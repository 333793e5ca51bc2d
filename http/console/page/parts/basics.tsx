/** Small parts that all views use. */
import type { ComponentChildren, JSX } from 'preact';
import { idText, placeOf } from '../state/format.js';

interface BadgeProps {
  readonly tone?: 'good' | 'bad' | 'warn' | '';
  readonly children: ComponentChildren;
}

export const Badge = ({ tone = '', children }: BadgeProps): JSX.Element => (
  <span class={`badge ${tone}`}>{children}</span>
);

interface SectionProps {
  readonly title: string;
  /** Stands on the other end of the title's line. */
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Section = ({ title, side, children }: SectionProps): JSX.Element => (
  <section>
    <div class="title">
      <h2 tabIndex={-1}>{title}</h2>
      {side}
    </div>
    {children}
  </section>
);

interface FiguresProps {
  /** By name. */
  readonly of: Readonly<Record<string, ComponentChildren>>;
  readonly isBig?: boolean;
}

export const Figures = ({ of, isBig = false }: FiguresProps): JSX.Element => (
  <dl class={isBig ? 'figures big' : 'figures'}>
    {Object.entries(of).map(([name, figure]) => (
      <div class="figure" key={name}>
        <dt>{name}</dt>
        <dd>{figure}</dd>
      </div>
    ))}
  </dl>
);

/** A line of recent values without axes: the figure stands beside it. */
export function Spark({ values }: { readonly values: readonly (number | null)[] }): JSX.Element {
  const known = values.map((value) => value ?? 0);
  const [low, high] = [Math.min(0, ...known), Math.max(0, ...known)];
  const points = known.map((value, at) => `${at},${20 - (20 * (value - low)) / (high - low || 1)}`).join(' ');
  const width = Math.max(1, known.length - 1);
  return (
    <svg class="spark" viewBox={`0 -1 ${width} 22`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

/** A link to the view of the id, or the text as it is if there is none. */
export function Ref({ id }: { readonly id: string | null }): JSX.Element | string {
  const place = placeOf(id ?? '');
  return place === null || id === null ? (id ?? '–') : <a href={place}>{idText(id)}</a>;
}

/** Stands in place of data that are not there. */
export function Loading({ error = '' }: { readonly error?: string }): JSX.Element {
  return error === '' ? (
    <p class="quiet">Loading …</p>
  ) : (
    <p class="error" role="alert">
      {error}
    </p>
  );
}
