/** Where an answer ends, however it arrives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPLETE, type Frame, frameHttp, INCOMPLETE, MALFORMED } from '../../bench/client/framing.js';

const ANSWER =
  'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-RateLimit-Limit: 30\r\nContent-Length: 16\r\n\r\n{"success":true}';

const emptyFrame = (): Frame => ({ status: 0, bodyAt: 0, endAt: 0 });

test('a whole answer gives status, body and end', () => {
  const bytes = Buffer.from(ANSWER);
  const frame = emptyFrame();
  assert.equal(frameHttp(bytes, bytes.length, frame), COMPLETE);
  assert.deepEqual(frame, { status: 201, bodyAt: bytes.length - 16, endAt: bytes.length });
});

test('an answer truncated at any byte is incomplete', () => {
  const bytes = Buffer.from(ANSWER);
  for (let end = 0; end < bytes.length; end += 1) {
    assert.equal(frameHttp(bytes, end, emptyFrame()), INCOMPLETE, `cut at ${end}`);
  }
});

test('bytes beyond the end do not move it', () => {
  const bytes = Buffer.from(`${ANSWER}HTTP/1.1 200 OK`);
  const frame = emptyFrame();
  assert.equal(frameHttp(bytes, bytes.length, frame), COMPLETE);
  assert.equal(frame.endAt, ANSWER.length);
});

test('the length is found in any place and case', () => {
  for (const headers of [
    'content-length: 2\r\nX-Number: 77',
    'X-Number: 77\r\nCONTENT-LENGTH: 2',
    'X-Content-Length: 9\r\nContent-Length: 2',
    'Content-Length:2\r\nX-Content-Length: 9',
  ]) {
    const text = `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n{}`;
    const frame = emptyFrame();
    assert.equal(frameHttp(Buffer.from(text), text.length, frame), COMPLETE, headers);
    assert.equal(frame.endAt, text.length, headers);
  }
});

test('an answer without a length is malformed, and so are headers without end', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.equal(frameHttp(Buffer.from(chunked), chunked.length, emptyFrame()), MALFORMED);
  const endless = Buffer.alloc(20_000, 'x');
  assert.equal(frameHttp(endless, endless.length, emptyFrame()), MALFORMED);
});
