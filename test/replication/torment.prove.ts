/** A short run of the torment with a fixed seed; `npm run torment` makes the long ones. */
import { test } from 'node:test';
import { NO_NATS } from '../support/replication/nats.js';
import { Torment } from './torment/torment.js';

const SEED = 7;
const TAKEOVERS = 10;

test(`${TAKEOVERS} takeovers under load lose no acknowledged order, and no two lead at once`, {
  skip: NO_NATS,
}, async (t) => {
  const torment = await Torment.start(SEED);
  t.after(() => torment.remove());
  await torment.run(TAKEOVERS, (line) => t.diagnostic(line));
});
