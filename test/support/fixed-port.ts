/** A port for a server that is started again on it: connections of clients never have one of these. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections, which may take one while the server is away. */
const FROM = 20_000;
const BEFORE = 32_000;

export async function fixedPort(): Promise<string> {
  for (;;) {
    const port = randomInt(FROM, BEFORE);
    if (await isFree(port)) return String(port);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
