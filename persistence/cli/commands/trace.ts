/** `tote trace`: the stages of one of the last orders, asked of the running server. */
import { readFileSync } from 'node:fs';
import { Argument, Option } from 'commander';
import { attempt, messageOf, orRefuse } from '../../../engine/base/attempt.js';
import type { OrderTrace } from '../../../engine/model/operators.js';
import { JournalError } from '../../errors.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';

interface Body {
  readonly data?: OrderTrace;
  readonly error?: string;
}

const WAIT_MS_MAX = 5_000;

export const traceCommand = defineCommand<{ readonly server?: string }, [id: string]>({
  details:
    'Asks the running server at its operator port, with the token in TOTE_OPERATOR_TOKEN, else in the data directory. ' +
    'The order was received whole; then: gateway, until the engine took it; engine, until its batch went to the journal; ' +
    'commit, until the disk had it; replicated, until the replicated log had it, too; answered. The server knows the last ' +
    '100,000 orders since its start. Ends with 3 if it does not answer.',
  examples: [
    ['trace bet_1201', 'by the id of the bet'],
    [
      'trace 5f0c9d2a77b10-42',
      'by the X-Request-Id of the answer, or in the same way by the Idempotency-Key',
    ],
    ['trace bet_1201 /var/lib/tote --server https://10.0.0.5:8081', 'asked of another server'],
  ],
  operands: [new Argument('<ID>', 'the id of the bet or the request, or the Idempotency-Key')],
  options: [
    new Option(
      '--server <URL>',
      'the operator port (default: that of the server on DATA_DIR, else TOTE_OPERATOR_HOST and TOTE_OPERATOR_PORT)',
    ),
  ],
  needs: 'files',
  run: async (context, { server }, [id]) => {
    const { out } = context;
    const url = urlOf(server ?? serverOn(context), id);
    const { data, error } = await ask(url, tokenOf(context));
    if (data === undefined) throw new JournalError('not_found', error ?? `${url.origin} is no operator port`);
    out.answer(data);
    return EXIT.done;
  },
});

/** The token of the directory must not go to another server, which may have the usual port. */
const serverOn = ({ dir }: Context): string =>
  attempt(() => readFileSync(dir.operatorUrlFile, 'utf8').trim(), null) ?? serverOfEnvironment();

const serverOfEnvironment = (): string => {
  const { TOTE_OPERATOR_HOST: host = '127.0.0.1', TOTE_OPERATOR_PORT: port = '8081' } = process.env;
  const scheme = process.env['TOTE_OPERATOR_TLS_CERT_FILE'] === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

const urlOf = (server: string, id: string): URL =>
  orRefuse(
    () => new URL(`/operator/v1/orders/trace?${new URLSearchParams({ id })}`, server),
    () => new UsageError(`--server: expected a URL such as http://127.0.0.1:8081, not ${server}`),
  );

function tokenOf({ dir }: Context): string {
  const given = process.env['TOTE_OPERATOR_TOKEN'];
  if (given !== undefined) return given;
  const how = 'name the data directory, or set TOTE_OPERATOR_TOKEN';
  return orRefuse(
    () => readFileSync(dir.operatorTokenFile, 'utf8').trim(),
    (reason) => new JournalError('file_unreadable', `There is no operator token, ${how}: ${reason}`),
  );
}

async function ask(url: URL, token: string): Promise<Body> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(WAIT_MS_MAX) });
    const body = (await answer.json()) as Body;
    if (answer.ok || answer.status === 404) return body;
    throw new Error(body.error ?? `it answers ${answer.status}`);
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : '';
    throw new JournalError('server_unreachable', `${url.origin}: ${messageOf(thrown)}${cause}`);
  }
}
