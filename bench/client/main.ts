/** The load client's process: receives one job from the suite, runs it, reports, exits. */
import { assert } from '../../engine/base/assert.js';
import type { ClientJob, FromClient } from './job.js';
import { runLoad } from './load.js';

assert(process.send !== undefined, 'the client is started by the suite');
const say = (message: FromClient): void => {
  process.send?.(message);
};

process.once('message', (job: ClientJob) => {
  runLoad(job, {
    onMeasuring: () => say({ type: 'measuring' }),
    onMeasured: () => say({ type: 'measured' }),
  })
    .then((result) => say({ type: 'result', result }))
    .catch((error: Error) => say({ type: 'failed', message: error.message }))
    .finally(() => process.disconnect());
});
