/** `tote promote` and `tote demote`: another leader for an exchange whose journal is replicated, without waiting for a lapse. */
import { setTimeout as pause } from 'node:timers/promises';
import { Argument, InvalidArgumentError, Option } from 'commander';
import {
  isStreamName,
  NATS_SERVERS_FORM,
  parseNatsServers,
  STREAM_NAME_FORM,
} from '../../../config/nats-servers.js';
import { messageOf } from '../../../engine/base/attempt.js';
import { JournalError } from '../../errors.js';
import { type LeaseEntry, PlaceTaken } from '../../replication/log/replicated-log.js';
import { HEARD_MS_MAX } from '../../replication/log-status.js';
import type { NatsLog } from '../../replication/nats/nats-log.js';
import { type CliCommand, defineCommand } from '../frame/command.js';
import { EXIT, type ExitCode, UsageError } from '../frame/exit-codes.js';
import type { Output } from '../frame/output.js';

interface LeadOptions {
  readonly acceptLoss?: true;
  readonly nats?: string;
  readonly stream: string;
  readonly credentials?: string;
  readonly ca?: string;
}

const WAIT_MS_MAX = 30_000;
const LOOK_EVERY_MS = 50;

const options = [
  new Option('--nats <SERVERS>', `${NATS_SERVERS_FORM} (default: TOTE_REPLICATION)`).env('TOTE_REPLICATION'),
  new Option('--stream <NAME>', 'the stream').env('TOTE_REPLICATION_STREAM').default('tote'),
  new Option('--credentials <FILE>', 'credentials for the NATS servers').env('TOTE_REPLICATION_CREDENTIALS'),
  new Option('--ca <FILE>', "with tls://: the authority that signed the servers' certificates").env(
    'TOTE_REPLICATION_CA',
  ),
];

const HOW =
  'The leader refuses new orders, answers what it has accepted, gives its lease back and ends; its supervisor starts it again. ' +
  'The standby takes over at once. Nothing happens if none follows. Ends with 3 then, or if no leader answers, or nobody takes over within 30 s.';

export const promoteCommand: CliCommand = defineCommand<LeadOptions, [node: string]>({
  details: `${HOW} Other standbys leave it to NODE until the lease would have lapsed; if one leads then, it ends with 3, too.`,
  examples: [
    ['promote two --nats nats://10.0.0.1,10.0.0.2,10.0.0.3', 'two leads from now on'],
    ['promote two', 'with TOTE_REPLICATION in the environment'],
    [
      'promote two --accept-loss',
      'nobody leads: the NATS servers have lost what only a machine had that is gone for good',
    ],
  ],
  operands: [new Argument('<NODE>', 'its TOTE_NODE').argParser(parseNode)],
  options: [
    ...options,
    new Option(
      '--accept-loss',
      'while nobody leads: let NODE lead without the newest orders, which clients were told of',
    ),
  ],
  needs: 'nothing',
  run: ({ out }, given, [node]) =>
    given.acceptLoss === true ? acceptLoss(out, given, node) : change(out, given, node),
});

export const demoteCommand: CliCommand = defineCommand<LeadOptions>({
  details: `${HOW} Any standby takes over.`,
  examples: [['demote --nats nats://10.0.0.1,10.0.0.2,10.0.0.3', 'before work on the machine that leads']],
  options,
  needs: 'nothing',
  run: ({ out }, given) => change(out, given, ''),
});

/** An unset variable of a script must not pass for any standby. */
function parseNode(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected the TOTE_NODE of a standby.');
  return text;
}

function change(out: Output, given: LeadOptions, to: string): Promise<ExitCode> {
  return withLog(given, async (log) => {
    const before = await log.readLease();
    const leading = await fromLeader(log.askWhoLeads());
    if (leading === to) throw new UsageError(`${to} leads already`);
    // A leader that hands over to nobody would stop the exchange.
    if (!(await isHeard(log, (node) => to === '' || node === to)))
      throw unreachable(
        `no standby${to === '' ? '' : ` with the name ${to}`} follows; ${leading} goes on`,
        null,
      );
    out.answer(await nextLeader(log, before, to, () => fromLeader(log.askToHandOver(to))));
  });
}

/** NATS servers that have lost all of an exchange. */
const NO_LEASE: LeaseEntry = {
  ...{ revision: 0, holder: 'nobody', epoch: 0, lastSeq: 0 },
  ...{ isReleased: true, successor: '', exchange: null },
};

/**
 * A machine does not lead without the commands that the last leader had told of (`Follower`): from now on the lease
 * asks for none.
 */
function acceptLoss(out: Output, given: LeadOptions, node: string): Promise<ExitCode> {
  return withLog(given, async (log) => {
    const before = (await log.readLease()) ?? NO_LEASE;
    const leading = await log.askWhoLeads().catch(() => null);
    if (leading !== null) throw new UsageError(`--accept-loss: ${leading} leads, so nothing is lost`);
    if (!(await isHeard(log, (name) => name === node)))
      throw unreachable(`no standby with the name ${node} follows`, null);
    const { revision, ...entry } = before;
    const answer = await nextLeader(log, before, node, async () => {
      await giveLease(log, { ...entry, isReleased: true, successor: node, lastSeq: 0 }, revision);
      return before.holder;
    });
    // The new leader goes on without those that the log has lost.
    out.answer({ ...answer, toldToSeq: before.lastSeq });
  });
}

async function withLog(given: LeadOptions, act: (log: NatsLog) => Promise<void>): Promise<ExitCode> {
  const log = await open(given);
  try {
    await act(log);
    return EXIT.done;
  } finally {
    await log.close();
  }
}

/** A standby reports twice a second. */
function isHeard(log: NatsLog, isWanted: (node: string) => boolean): Promise<boolean> {
  const heard = new Promise<boolean>((resolve) => {
    log.onReport((report) => {
      if (isWanted(report.node)) resolve(true);
    });
  });
  return Promise.race([heard, pause(HEARD_MS_MAX, false)]);
}

async function giveLease(log: NatsLog, entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<void> {
  try {
    await log.writeLease(entry, revision);
  } catch (thrown) {
    if (!(thrown instanceof PlaceTaken)) throw thrown;
    throw new UsageError('--accept-loss: a leader has just renewed its lease, so nothing is lost');
  }
}

async function open({ nats, stream, credentials, ca }: LeadOptions): Promise<NatsLog> {
  const servers = nats === undefined ? null : parseNatsServers(nats);
  if (servers === null) throw new UsageError(`--nats or TOTE_REPLICATION: expected ${NATS_SERVERS_FORM}`);
  if (!isStreamName(stream)) throw new UsageError(`--stream: expected ${STREAM_NAME_FORM}`);
  if (ca !== undefined && !servers.isTls) throw new UsageError('--ca: is of use only with tls:// in --nats');
  const tls = servers.isTls ? { caFile: ca ?? null } : null;
  const settings = { servers: servers.servers, stream, credentialsFile: credentials ?? null, tls };
  // A third of all the code of the command line, which no other command needs.
  const [{ NatsLog }, { hasLog }] = await Promise.all([
    import('../../replication/nats/nats-log.js'),
    import('../../replication/nats/stream.js'),
  ]);
  try {
    if (await hasLog(settings)) return await NatsLog.open(settings);
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    const { ServerWatch } = await import('../../replication/nats/server-watch.js');
    const watch = new ServerWatch(servers.servers, () => undefined);
    throw unreachable(await watch.explain(messageOf(thrown)), null);
  }
  throw new UsageError(`--stream: the NATS servers have no exchange's stream with the name ${stream}`);
}

async function fromLeader(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch (thrown) {
    throw unreachable('no leader answers', thrown);
  }
}

/** The leader after `begin`, which resolves with the name of the one before, and how long it took until its lease was seen. */
async function nextLeader(log: NatsLog, before: LeaseEntry | null, to: string, begin: () => Promise<string>) {
  const startedMs = performance.now();
  const from = await begin();
  const untilMs = performance.now() + WAIT_MS_MAX;
  while (performance.now() < untilMs) {
    const entry = await log.readLease();
    if (entry !== null && !entry.isReleased && entry.epoch > (before?.epoch ?? 0)) {
      const { holder: leader, epoch } = entry;
      if (to !== '' && leader !== to)
        throw unreachable(
          `${leader} leads now, and not ${to}: its log says what kept it, such as its disk`,
          null,
        );
      return { from, leader, epoch, tookMs: Math.round(performance.now() - startedMs) };
    }
    await pause(LOOK_EVERY_MS);
  }
  throw unreachable('nobody has taken over within 30 s: is a standby running?', null);
}

const unreachable = (what: string, cause: unknown): JournalError =>
  new JournalError('replication_unreachable', cause === null ? what : `${what}: ${messageOf(cause)}`, {
    cause,
  });
