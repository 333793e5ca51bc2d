/**
 * For whom this thread works at the moment. What is thrown while a request, a message or an upgrade of one client is read,
 * checked or answered ends that client's connection, and nothing else. What comes later (replies of the engine's thread, the
 * archive's answers, promises) is continued for the same client.
 */

/** One request, or one stream. */
export interface Client {
  /** Ends it: with 500 `internal_error` where an answer is still possible. Must not throw. */
  fail(error: unknown): void;
}

let present: Client | null = null;

export const presentClient = (): Client | null => present;

/** What `work` throws ends the client. Without a client it is thrown. */
export function workFor(client: Client | null, work: () => void): void {
  const before = present;
  present = client;
  try {
    work();
  } catch (error) {
    if (client === null) throw error;
    client.fail(error);
  } finally {
    present = before;
  }
}

/** `work`, to be done later for the present client. */
export function later<A extends unknown[]>(work: (...given: A) => void): (...given: A) => void {
  const client = present;
  return (...given) => workFor(client, () => work(...given));
}
