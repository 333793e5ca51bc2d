/** The AsyncAPI document is served, well-formed, and describes the guide's examples. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../engine/model/errors.js';
import { PUBLIC_CODES } from '../../../http/openapi/failures.js';
import { lintsClean } from '../../support/api/lint-openapi.js';
import { StreamDocument } from '../../support/api/stream-document.js';
import { codeBlocks, readDocument } from '../../support/document.js';
import { Harness } from '../api/harness.js';

const described = new StreamDocument();

test('it is served below both bases, without a key', () => {
  const api = new Harness();
  for (const base of ['/v1', '/api/v1']) {
    const { status, text } = api.get(`${base}/asyncapi.json`, '');
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), described.document);
  }
});

test('a stream sends no error of operators, or of HTTP alone', () => {
  const text = JSON.stringify(described.document.components.schemas['StreamError']);
  const ofHttp = ['missing_api_key', 'invalid_api_key', 'not_found', 'method_not_allowed', 'request_timeout'];
  const others = [...ofHttp, 'unsupported_media_type', 'upgrade_required', 'too_many_streams'];
  const sent = PUBLIC_CODES.filter((code) => !others.includes(code));
  assert.deepEqual(ERROR_CODES.filter((code) => text.includes(`"${code}"`)).sort(), sent.sort());
});

test('it lints clean under the strict rules of a public linter', () => lintsClean(described.document));

test("every message of the guide is as described, and every kind of message is in the guide's examples", () => {
  const guide = readDocument('docs/bots/stream.md');
  const seen = new Set<string>();
  for (const block of codeBlocks(guide, 'json')) {
    for (const line of block.trim().split(/\n(?=\{)/)) {
      const message = JSON.parse(line) as { readonly type: string; readonly op: string };
      if (message.op === undefined) described.checkSent(message);
      else described.checkTaken(message);
      seen.add(message.op ?? message.type);
    }
  }
  const kinds = [...described.sent.keys(), ...described.taken.keys()];
  const inText = ['unsubscribe', 'unsubscribed', 'ping', 'pong'];
  assert.deepEqual([...seen, ...inText].toSorted(), [...new Set(kinds)].toSorted());
});
