/** Listening sockets. A port is taken exclusively: by default the library would share it with another server. */
import { type UwsApp, type UwsAppDescriptor, uws } from './library.js';

export interface Listening {
  readonly port: number;
  /** Accepts no further connections. */
  close(): void;
}

/** Rejects if the port is taken or the address is not ours. */
export function listenOn(app: UwsApp, host: string, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket === false) {
        reject(new Error(`cannot listen on ${host}:${port}: the port is taken, or the address is not ours`));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket),
        close: () => uws.us_listen_socket_close(socket),
      });
    });
  });
}

/** Accepts connections and hands them to the apps of other threads in turn, so that each gets the same number. */
export async function acceptFor(
  descriptors: readonly UwsAppDescriptor[],
  host: string,
  port: number,
): Promise<Listening> {
  const app = uws.App();
  for (const descriptor of descriptors) app.addChildAppDescriptor(descriptor);
  const listening = await listenOn(app, host, port);
  return {
    port: listening.port,
    close() {
      listening.close();
      app.close();
    },
  };
}
