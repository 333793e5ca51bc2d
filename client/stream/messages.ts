/** The messages of the stream's channels. */
import type { Channel, ServerMessage } from '../base/types.js';

export type ChannelMessage<C extends Channel = Channel> = Extract<ServerMessage, { readonly type: C }>;

/** These channels miss no event; the others bring the newest state. */
export const EVENT_CHANNELS: readonly Channel[] = ['rounds', 'fills'];
