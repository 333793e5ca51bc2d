/**
 * A process of its own that keeps all gateways but one busy: it sends the same request on many connections as fast as it
 * is answered, until it is ended.
 */
import { assert } from '../../../engine/base/assert.js';
import { type Line, openLines } from './line.js';

export interface AttackJob {
  readonly port: number;
  readonly connections: number;
  readonly request: string;
  /** The gateway that is left alone. */
  readonly spared: string;
}

/** Answers so far, several times a second once all connections are open. */
export interface AttackNews {
  readonly answers: number;
}

const NEWS_EVERY_MS = 100;

assert(process.send !== undefined, 'an attack is started by the suite');

process.once('message', ({ port, connections, request, spared }: AttackJob) => {
  const onFailure = (error: Error): never => {
    throw error;
  };
  void openLines(port, request, connections, (gateway) => gateway !== spared, onFailure).then((lines) =>
    flood(lines, request),
  );
});
process.once('disconnect', () => process.exit());

function flood(lines: readonly Line[], request: string): void {
  let answers = 0;
  for (const line of lines) {
    const again = (): void => {
      answers += 1;
      line.ask(request, again);
    };
    line.ask(request, again);
  }
  setInterval(() => process.send?.({ answers } satisfies AttackNews), NEWS_EVERY_MS);
}
