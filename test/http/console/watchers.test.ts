/** The console's stream, over sockets that the test plays: questions to the engine's thread, and messages to pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { HttpRequest, StreamOwner, StreamSocket } from '../../../engine/model/ports.js';
import type { Session } from '../../../http/console/sessions.js';
import { SESSION_ENDED, TOO_MANY, WATCHERS_MAX, Watchers } from '../../../http/console/watchers.js';

class PlayedSocket implements StreamSocket {
  readonly received: string[] = [];
  closedWith: number | null = null;
  waitingBytes = 0;
  owner: StreamOwner | null = null;

  fail(error: unknown): never {
    throw error;
  }

  ping(): never {
    throw new Error('the library pings pages');
  }

  send(text: string | Uint8Array): boolean {
    this.received.push(JSON.parse(String(text)).message);
    return true;
  }

  sendAll(): never {
    throw new Error('a page gets one message a second');
  }

  close(code: number): void {
    this.closedWith = code;
    this.owner?.onClosed();
  }
}

const caller = { name: 'ann', role: 'read', digest: '' } as const;
const session: Session = { caller, id: 'one', openedMs: 0, renewedMs: 0, csrfToken: '' };

function played() {
  const asked: ((message: object) => void)[] = [];
  const isOpen = ({ renewedMs }: Session): boolean => renewedMs >= 0;
  const watchers = new Watchers({ isOpen }, () => new Promise((resolve) => asked.push(resolve)));
  const tell = async (message: string): Promise<void> => {
    asked.shift()?.({ message });
    await setImmediate();
  };
  const opened = (of = session): PlayedSocket => {
    const socket = new PlayedSocket();
    const accept = (_protocol: string, take: (opened: StreamSocket) => StreamOwner): void => {
      socket.owner = take(socket);
      socket.owner.onOpen();
    };
    const request = { upgrade: { protocols: '', accept } } as unknown as HttpRequest;
    assert.equal(watchers.open(request, of), null);
    return socket;
  };
  return { watchers, asked, tell, opened };
}

test('one question and one message a second, however many watch: none while nobody does, or the engine is silent', async () => {
  const { watchers, asked, tell, opened } = played();
  watchers.tick();
  assert.equal(asked.length, 0);
  const sockets = [opened(), opened(), opened()];
  assert.equal(asked.length, 1, 'the first page has not to wait for the second to be over');
  for (let second = 0; second < 5; second++) watchers.tick();
  assert.equal(asked.length, 1);
  await tell('one');
  const late = opened();
  assert.equal(asked.length, 0, 'who comes later gets what was asked for others');
  watchers.tick();
  assert.equal(asked.length, 1);
  await tell('two');
  for (const socket of [...sockets, late]) {
    assert.deepEqual(socket.received, ['one', 'two']);
    socket.close(1000);
  }
  watchers.tick();
  assert.equal(asked.length, 0);
});

test('a page that does not read misses messages, and no others', async () => {
  const { watchers, tell, opened } = played();
  const [slow, other] = [opened(), opened()];
  await tell('one');
  slow.waitingBytes = 1_000_000;
  watchers.tick();
  await tell('two');
  slow.waitingBytes = 0;
  watchers.tick();
  await tell('three');
  assert.deepEqual(slow.received, ['one', 'three']);
  assert.deepEqual(other.received, ['one', 'two', 'three']);
});

test('the number of pages is bounded; they end with the newest ticket of their session, or with the server', () => {
  const { watchers, opened } = played();
  const sockets = Array.from({ length: WATCHERS_MAX }, (_, at) => opened({ ...session, id: `${at}` }));
  assert.equal(opened().closedWith, TOO_MANY);
  sockets[0]?.close(1000);
  const next = opened();
  sockets[1]?.owner?.onPing();
  assert.equal(sockets[1]?.closedWith, 1008, 'a page sends nothing, not even pings');
  watchers.renew({ ...session, id: '2', renewedMs: -1 });
  watchers.tick();
  assert.deepEqual([sockets[2]?.closedWith, sockets[3]?.closedWith], [SESSION_ENDED, null]);
  watchers.close();
  assert.equal(next.closedWith, 1001);
});
