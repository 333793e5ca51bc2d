/** The bench's client of streams finds frames wherever what arrives is cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameReader, frameOf } from '../../bench/stream/frames.js';

/** A frame as a server sends it. */
function serverFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = payload.length < 126 ? payload.length : payload.length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

test('it reads the beginning of each frame, however they are cut', () => {
  const lengths = fc.oneof(fc.nat(200), fc.integer({ min: 60_000, max: 70_000 }));
  fc.assert(
    fc.property(
      fc.array(lengths, { maxLength: 8 }),
      fc.array(fc.nat(5_000), { maxLength: 50 }),
      (sizes, cuts) => {
        const texts = sizes.map((size, number) => `${number}:`.padEnd(size + 2, 'x'));
        const bytes = Buffer.concat(texts.map(serverFrame));
        const heads: string[] = [];
        const reader = new FrameReader((head) => heads.push(head));
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          reader.feed(bytes.subarray(at, at + cut));
          at += cut;
        }
        assert.deepEqual(
          heads,
          texts.map((text) => text.slice(0, 96)),
        );
      },
    ),
  );
});

test('what it sends is a masked text', () => {
  for (const text of ['{"op":"ping","id":1}', 'x'.repeat(200)]) {
    const frame = frameOf(text);
    const headBytes = text.length < 126 ? 2 : 4;
    assert.deepEqual([frame[0], (frame[1] as number) & 0x80], [0x81, 0x80]);
    assert.equal(frame.readUInt32BE(headBytes), 0, 'the mask');
    assert.equal(frame.toString('utf8', headBytes + 4), text);
  }
});
