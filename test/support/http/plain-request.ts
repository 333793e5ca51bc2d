/** A request as a transport hands it to a handler: a test names only the facts that it is about. */
import type { HttpRequest } from '../../../engine/model/ports.js';

export const plainRequest = (
  facts: Partial<HttpRequest> & Pick<HttpRequest, 'method' | 'path'>,
): HttpRequest => ({
  query: '',
  address: '127.0.0.1',
  apiKey: '',
  idempotencyKey: null,
  contentType: '',
  contentEncoding: '',
  authorization: '',
  ifNoneMatch: '',
  acceptEncoding: '',
  body: new Uint8Array(0),
  fault: null,
  ...facts,
});
