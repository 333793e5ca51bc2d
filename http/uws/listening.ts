/**
 * Apps and listening sockets. A port is taken exclusively: by default the library would share it with another server.
 *
 * The listening socket belongs to an acceptor, which hands each connection to the app of a transport before the TLS
 * handshake. So a transport can take a new certificate by opening another app: new connections go there, and the old app
 * keeps those that it has.
 */
import type { TlsFiles } from '../../config/certificate.js';
import { type UwsApp, type UwsAppDescriptor, uws } from './library.js';

export interface Acceptor {
  readonly port: number;
  swap(before: readonly UwsAppDescriptor[], after: readonly UwsAppDescriptor[]): void;
  close(): void;
}

/** Reads the certificate from its files. Throws if the library refuses them. */
export function newApp(tls: TlsFiles | null): UwsApp {
  if (tls === null) return uws.App();
  const { certFile, keyFile, clientCaFile } = tls;
  const files = { cert_file_name: certFile, key_file_name: keyFile };
  try {
    return uws.SSLApp(clientCaFile === null ? files : { ...files, ca_file_name: clientCaFile });
  } catch {
    const others = clientCaFile === null ? '' : ` and ${clientCaFile}`;
    throw new Error(`the TLS library refuses ${certFile} with ${keyFile}${others}`);
  }
}

/**
 * Hands connections to the apps in turn, so that each gets the same number. The apps may be those of other threads;
 * `isTls` says whether they speak TLS. Rejects if the port is taken or the address is not ours.
 */
export function acceptFor(
  descriptors: readonly UwsAppDescriptor[],
  host: string,
  port: number,
  isTls: boolean,
): Promise<Acceptor> {
  const app = isTls ? uws.SSLApp({}) : uws.App();
  for (const descriptor of descriptors) app.addChildAppDescriptor(descriptor);
  return new Promise((resolve, reject) => {
    app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket === false) {
        const reason = 'the port is taken, or below 1024 and not allowed, or the address is not ours';
        reject(new Error(`cannot listen on ${host}:${port}: ${reason}`));
        return;
      }
      resolve({
        port: uws.us_socket_local_port(socket),
        swap(before, after) {
          // Added first: an acceptor without other apps would keep a connection.
          for (const descriptor of after) app.addChildAppDescriptor(descriptor);
          for (const descriptor of before) app.removeChildAppDescriptor(descriptor);
        },
        close() {
          uws.us_listen_socket_close(socket);
          app.close();
        },
      });
    });
  });
}

/** For a client on this machine. */
export function urlOf(host: string, port: number, isTls: boolean): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http${isTls ? 's' : ''}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
