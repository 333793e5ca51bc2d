/**
 * The length of a search: short in the test suite, longer at night (`npm run nightly`, which sets
 * `TOTE_TEST_LONG=1`). The assertions are the same.
 */
export const IS_LONG_RUN = process.env['TOTE_TEST_LONG'] === '1';

/** The first count in the test suite, the second at night. */
export const inSuiteOrAtNight = (inSuite: number, atNight: number): number =>
  IS_LONG_RUN ? atNight : inSuite;
