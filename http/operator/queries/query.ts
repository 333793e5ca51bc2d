/**
 * Questions of the operators' thread to the engine's thread, and their results. A question has been checked as far as
 * that needs no state; a result is numbers and texts of the engine, from which the operators' thread makes the answer.
 * Both cross threads as messages, so they are plain data. The functions that answer declare them: a question has the
 * name of the function, and the fields of its argument.
 */
import type { By } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import { Refused } from '../../kit/refused.js';
import type { CommandResult, OperatorCommands, UntimedCommand } from './commands.js';
import type { OperatorReads, Reply, Slices } from './reads.js';
import type { StatusReads } from './status.js';

export type Handlers = Pick<OperatorCommands, keyof OperatorCommands> &
  Pick<OperatorReads, keyof OperatorReads> &
  Pick<StatusReads, keyof StatusReads>;
export type QueryKind = keyof Handlers;

type Fields<K extends QueryKind> = Parameters<Handlers[K]> extends [infer F extends object] ? F : object;
type Result<R> = R extends Promise<Reply<infer T>> | Reply<infer T> | Slices<infer T> ? T : never;
export type ResultOf<K extends QueryKind> = Result<ReturnType<Handlers[K]>>;
export type OperatorQuery = { [K in QueryKind]: { readonly kind: K } & Fields<K> }[QueryKind];

/**
 * A query gets any number of parts, then `done` with the rest or `refused`. Parts may show what is not durable yet;
 * nobody may see them before `done`.
 */
export type QueryMessage =
  | { readonly kind: 'part' | 'done'; readonly results: readonly ResultOf<QueryKind>[] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

export type SendQuery = (query: OperatorQuery, onMessage: (message: QueryMessage) => void) => void;

/** Results come once they are durable; a refusal is thrown. */
export class EngineQueries {
  constructor(private readonly send: SendQuery) {}

  async ask<K extends QueryKind>(kind: K, fields: Fields<K>): Promise<ResultOf<K>> {
    const [result] = await this.list(kind, fields);
    return result as ResultOf<K>;
  }

  /** For questions that are answered in slices. */
  list<K extends QueryKind>(kind: K, fields: Fields<K>): Promise<readonly ResultOf<K>[]> {
    const results: ResultOf<QueryKind>[] = [];
    return new Promise((resolve, reject) => {
      this.send({ kind, ...fields } as unknown as OperatorQuery, (message) => {
        if (message.kind === 'refused') reject(new Refused(message.code, message.detail));
        else {
          results.push(...message.results);
          // A query is answered with results of its kind, which the compiler cannot follow through the messages.
          if (message.kind === 'done') resolve(results as unknown as readonly ResultOf<K>[]);
        }
      });
    });
  }

  command(command: UntimedCommand, by: By, seen: Fields<'command'>['seen'] = {}): Promise<CommandResult> {
    return this.ask('command', { command, by, seen });
  }
}
