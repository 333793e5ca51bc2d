import type { Status } from '../../../http/operator/queries/status.js';
import { askUntil } from '../ask-until.js';
import type { Server } from './server.js';

/** The shadow runs in the background: asks again and again. */
export const statusWhere = (server: Server, holds: (status: Status) => boolean): Promise<Status> =>
  askUntil(async () => (await server.operator.get<Status>('/status')).data, holds);

export const hasCaughtUp = ({ shadow, durableSequence }: Status): boolean =>
  shadow.archiveSequence === durableSequence && shadow.state === 'following';
