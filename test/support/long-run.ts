/**
 * How much a search tries: less in the test suite, where everybody waits for it, and more at night (`npm run nightly`,
 * which sets `TOTE_TEST_LONG=1`). What is asserted is the same.
 */
export const IS_LONG_RUN = process.env['TOTE_TEST_LONG'] === '1';

/** The first count in the test suite, the second at night. */
export const inSuiteOrAtNight = (inSuite: number, atNight: number): number =>
  IS_LONG_RUN ? atNight : inSuite;
