/** `npm run simulate`: worlds from a seed, until the simulated hours are over or the real minutes. */
import { World } from './world.js';

const seed = Number(process.argv[2] ?? 1);
const hours = Number(process.argv[3] ?? 0.1);
const t0 = process.cpuUsage();
const world = new World({ seed, hours });
try { await world.run(); } catch (e) { console.log(e); }
const t1 = process.cpuUsage(t0);
console.log(world.coverage.table());
console.log(world.steps, 'steps', world.auditor.commands, 'commands', world.auditor.durableCommands, 'durable', world.machine.crashCount, 'crashes', world.auditor.rounds.settledCount, 'rounds', (t1.user + t1.system) / 1e6, 's', world.trace.digest());
