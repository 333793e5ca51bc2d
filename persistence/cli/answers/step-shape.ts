/** The type of one line of `tote replay --json`, which `words/step-json.ts` produces from commands and events. */
import type { Command } from '../../../engine/model/commands.js';
import type { Asset, BetResult, ROUND_RESULTS, Scope, Side, Tier } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';

type StepOf<C> = C extends Command
  ? {
      readonly seq: number;
      /** Engine time of the command. */
      readonly time: string;
      readonly kind: C['kind'];
      readonly command: Shown<C>;
      readonly events: readonly EventShape[];
    }
  : never;
type ShownEvent<E> = E extends EngineEvent ? Shown<E> & { readonly type: E['type'] } : never;

type EventShape = ShownEvent<EngineEvent>;
export type StepJson = StepOf<Command>;

type Shown<F> = { readonly [K in keyof F as ShownName<K>]: ShownValue<K, F[K], F> };

type ShownName<K> = K extends 'kind' | 'type' | 'timeMs' | 'digest'
  ? never
  : K extends 'roundNumber'
    ? 'round'
    : K extends 'scopesMask'
      ? 'scopes'
      : K extends 'idempotency'
        ? 'hasIdempotencyKey'
        : K extends `${infer Name}Ms`
          ? Name
          : K;

type ShownValue<K, V, F> = K extends keyof Words
  ? Words[K] | Extract<V, null>
  : K extends 'result'
    ? F extends { readonly bet: number }
      ? BetResult
      : (typeof ROUND_RESULTS)[number]
    : K extends `${string}Ms`
      ? string | Extract<V, null>
      : V;

/** Numbers that are shown as words. */
interface Words {
  readonly account: string;
  readonly bet: string;
  readonly key: string;
  readonly market: string | null;
  readonly asset: Asset;
  readonly side: Side;
  readonly tier: Tier;
  readonly roundNumber: string;
  readonly scopesMask: readonly Scope[];
  readonly idempotency: boolean;
}
