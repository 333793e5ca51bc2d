/**
 * Tells the service manager (systemd, `Type=notify`) that the server is ready, that it is alive, and that it stops. The
 * messages follow from the log's events, so that no step of a start or a stop can be forgotten here. It listens on a
 * datagram socket, which Node has not. So `systemd-notify` sends the messages, run by one shell that is started with
 * the server and reads a message a line: later, with gigabytes of state, another process would be dear.
 */
import { spawn } from 'node:child_process';
import type { LogEvent } from './log/events.js';
import type { Log } from './log/log.js';

/**
 * Ends with the server, whose end of the pipe closes. A service manager that is busy for 5 s lets a message fail, and gets
 * the next ones.
 */
const NOTIFIER =
  'while IFS= read -r message; do systemd-notify "$message" || echo "failed ($?): $message"; done';
const US_PER_MS = 1_000;
const READY = 'READY=1';

interface ServiceEnvironment {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: string | undefined;
}

/** The service manager, if there is one, learns of the log's events as well. */
export function withServiceManager(log: Log, env: ServiceEnvironment): Log {
  if (env.NOTIFY_SOCKET === undefined || env.NOTIFY_SOCKET === '') return log;
  const tell = startNotifier(log);
  const aliveEveryMs = Number(env.WATCHDOG_USEC ?? 0) / US_PER_MS / 2;
  let isReady = false;
  return {
    isDebug: log.isDebug,
    flush: () => log.flush(),
    write(event, fields, message) {
      log.write(event, fields, message);
      const messages = messagesOf(event, message);
      for (const told of messages) tell(told);
      if (isReady || !messages.includes(READY)) return;
      isReady = true;
      if (!(aliveEveryMs > 0)) return;
      // By the engine's thread: where it no longer has its turns, the service manager ends the process.
      setInterval(() => tell('WATCHDOG=1'), aliveEveryMs).unref();
    },
  };
}

function messagesOf(event: LogEvent, message: string | undefined): readonly string[] {
  switch (event) {
    case 'disk_awaited':
    case 'recovering':
      return [`STATUS=${message}`];
    // A standby has started, though it may follow for months: units that wait for it would wait as long.
    case 'standby_listening':
      return [READY, 'STATUS=a standby: it follows the replicated log'];
    case 'listening':
      return [READY, 'STATUS=both ports answer'];
    case 'stopping':
    case 'disk_full':
      return ['STOPPING=1'];
    default:
      return [];
  }
}

/** Messages have one line. */
function startNotifier(log: Log): (message: string) => void {
  const notifier = spawn('/bin/sh', ['-c', NOTIFIER], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = notifier;
  const onFailed = (reason: string): void => log.write('notify_failed', { reason });
  notifier.on('error', ({ message }) => onFailed(message));
  notifier.on('exit', (code) => onFailed(`the shell has ended (${code})`));
  stdin.on('error', () => undefined);
  stdout.on('data', (failure) => onFailed(`systemd-notify ${String(failure).trim()}`));
  // Neither the process nor its pipes keep a stopped server from ending.
  notifier.unref();
  for (const pipe of [stdin, stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return (message) => stdin.write(`${message}\n`);
}
