/**
 * The setup of a data directory. A server started on it with another feed, clock or source of rules would settle real
 * bets with the wrong prices and times. So these facts belong to the directory, not to one start: they are journaled
 * once, and again when an operator requests a change (`declareSetup`).
 */
export interface Setup {
  /** `push`, `simulated`, or live feeds in the order of preference, as `TOTE_FEED` names them. */
  readonly feed: string;
  readonly clock: 'system' | 'manual';
  /** Whether the rules are the program's defaults or an operator's file. */
  readonly rulesFrom: 'defaults' | 'file';
}

/** In display order. */
export const SETUP_FACTS = ['feed', 'clock', 'rulesFrom'] as const satisfies readonly (keyof Setup)[];
