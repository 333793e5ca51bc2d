import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** For `mount` also the right to use it. */
export const isAvailable = (program: string): boolean =>
  spawnSync('which', [program]).status === 0 && (program !== 'mount' || process.getuid?.() === 0);

/** By strace: syncs of the process take ten minutes, until the end of the scope. */
export async function hangingDisk(pid: number): Promise<Disposable> {
  const hang = ['--trace=fsync,fdatasync', '--inject=fsync,fdatasync:delay_enter=600000000'];
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', '-p', `${pid}`, ...hang]);
  await once(tracer.stderr, 'data');
  return { [Symbol.dispose]: () => void tracer.kill('SIGKILL') };
}
