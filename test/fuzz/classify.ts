/**
 * The answers that this server may give: the envelope with a code of the registry at that code's status, a documented
 * success, or the parser's own page for malformed HTTP.
 */
import { ERROR_STATUS } from '../../engine/model/errors.js';
import type { Answer } from './answers.js';
import type { Prepared } from './requests.js';

interface Finding {
  /** Such as `201`, `201 again`, `400 invalid_request`, `operator 400 invalid_request`, `parser 400`. */
  readonly label: string;
  readonly isPlaced: boolean;
}

const STATUS_OF: ReadonlyMap<string, number> = new Map(Object.entries(ERROR_STATUS));
/** uWebSockets.js answers these by itself, outside the envelope. */
const PARSER_STATUSES = [400, 431, 505];
const SUCCESSES = [200, 201, 204, 304];
/** A server in this state never has a reason for these. */
const NEVER_HERE = [
  'shutting_down',
  'clock_unsynchronised',
  'disk_reserve',
  'journal_unavailable',
  'rate_limited',
];

export function classify(prepared: Prepared, answer: Answer): Finding {
  const finding = classifyUnlabelled(prepared, answer);
  return prepared.about === null ? finding : { ...finding, label: `${prepared.about} ${finding.label}` };
}

function classifyUnlabelled(prepared: Prepared, answer: Answer): Finding {
  const { status, headers, body } = answer;
  const isOurs = headers.has('x-request-id');
  if (!isOurs) {
    if (prepared.isFramed) throw new Error(`answered outside the envelope: ${status}`);
    if (!PARSER_STATUSES.includes(status)) throw new Error(`the parser's own answer has status ${status}`);
    return { label: `parser ${status}`, isPlaced: false };
  }
  for (const name of prepared.about === 'operator' ? [] : ['limit', 'remaining', 'reset']) {
    if (!/^\d+$/.test(headers.get(`x-ratelimit-${name}`) ?? ''))
      throw new Error(`X-RateLimit-${name} is missing`);
  }
  if (SUCCESSES.includes(status)) return success(prepared, answer);
  if (status >= 500 && status !== 503) throw new Error(`status ${status}: ${body}`);
  if (prepared.method === 'HEAD') return { label: `HEAD ${status}`, isPlaced: false };
  const envelope = parse(body);
  const error = envelope['error'];
  if (envelope['success'] !== false || typeof error !== 'string')
    throw new Error(`not in the envelope: ${body}`);
  const code = error.split(':')[0] ?? '';
  if (STATUS_OF.get(code) !== status) throw new Error(`status ${status} does not belong to ${code}`);
  if (NEVER_HERE.includes(code)) throw new Error(`there is no reason for ${error}`);
  return { label: `${status} ${code}`, isPlaced: false };
}

function success(prepared: Prepared, { status, headers, body }: Answer): Finding {
  if (prepared.mustRefuse) throw new Error(`status ${status} to what must be refused: ${body.slice(0, 300)}`);
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  if (body !== '' && isJson && status !== 204) {
    const envelope = parse(body);
    const isDocument = typeof envelope['openapi'] === 'string';
    if (!isDocument && (envelope['success'] !== true || envelope['data'] === undefined)) {
      throw new Error(`not in the envelope: ${body.slice(0, 300)}`);
    }
  }
  const isReplay = headers.get('x-idempotent-replay') === 'true';
  return { label: isReplay ? `${status} again` : String(status), isPlaced: status === 201 && !isReplay };
}

function parse(body: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${body}`);
  return value as Readonly<Record<string, unknown>>;
}
