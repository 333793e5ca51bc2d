/**
 * The client for whom this thread works at the moment. An error while a request, a message or an upgrade of one client
 * is read, checked or answered ends that client's connection, and nothing else. Later work (replies of the engine's
 * thread, the archive's answers, promises) is continued for the same client.
 */

export interface Client {
  /** Answers with 500 `internal_error` where that is still possible. Must not throw. */
  fail(error: unknown): void;
}

let present: Client | null = null;

export const presentClient = (): Client | null => present;

/** An error in `work`, which is called with `given`, ends the client. Without a client it is thrown. */
export function workFor<A extends unknown[]>(
  client: Client | null,
  work: (...given: A) => void,
  ...given: A
): void {
  const before = present;
  present = client;
  try {
    work(...given);
  } catch (error) {
    if (client === null) throw error;
    client.fail(error);
  } finally {
    present = before;
  }
}

/** Makes work for the present client, to be done later. */
export function later<A extends unknown[]>(work: (...given: A) => void): (...given: A) => void {
  const client = present;
  return (...given) => workFor(client, work, ...given);
}
