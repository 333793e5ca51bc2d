/** A port for a server that is started again on it: connections of clients never have one of these. */
import { createServer } from 'node:net';

/** A hundred for each process, below the ports that Linux gives to connections, also while the server is away. */
let next = 20_000 + (process.pid % 120) * 100;

export async function fixedPort(): Promise<string> {
  for (;;) {
    const port = next++;
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
