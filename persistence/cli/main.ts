/** The operators' command line as a process: runs one command and exits with its code. */
import { PROCESS_STREAMS } from './frame/output.js';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), PROCESS_STREAMS);
