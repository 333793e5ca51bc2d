/** Finds the event that a command is known to cause. */
import { fail } from '../engine/base/assert.js';
import type { EngineEvent } from '../engine/model/events.js';

type EventOf<T extends EngineEvent['type'], E = EngineEvent> = E extends { readonly type: infer U }
  ? T extends U
    ? E
    : never
  : never;

/** The first event of this type. It must exist. */
export function eventOf<T extends EngineEvent['type']>(events: readonly EngineEvent[], type: T): EventOf<T> {
  const isOfType = (event: EngineEvent): event is EngineEvent & EventOf<T> => event.type === type;
  // Most commands cause one event.
  const [first] = events;
  if (first !== undefined && isOfType(first)) return first;
  return events.find(isOfType) ?? fail(`event ${type} is missing`);
}
