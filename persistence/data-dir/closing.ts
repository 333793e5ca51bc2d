/** Closes what was opened at the end of the block that declares it: `using reader = closing(new JournalReader(dir))`. */
export const closing = <T extends { close(): void }>(opened: T): T & Disposable =>
  Object.assign(opened, { [Symbol.dispose]: () => opened.close() });

/** Leaves it open, unless `use` throws. */
export function orClosed<T extends { close(): void }, R>(opened: T, use: (opened: T) => R): R {
  try {
    return use(opened);
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
}
