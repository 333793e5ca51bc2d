/** The messages of the stream's channels. */
import type {
  AccountMessage,
  Channel,
  FillsMessage,
  MarketsMessage,
  PricesMessage,
  RoundsMessage,
} from '../base/types.js';

export interface MessageOf {
  readonly markets: MarketsMessage;
  readonly prices: PricesMessage;
  readonly account: AccountMessage;
  readonly rounds: RoundsMessage;
  readonly fills: FillsMessage;
}

export type ChannelMessage = MessageOf[Channel];

/** These channels miss no event; the others bring the newest state. */
export const EVENT_CHANNELS: readonly Channel[] = ['rounds', 'fills'];
