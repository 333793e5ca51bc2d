/** Names for the messages of the stream, which are generated from the server's types (`generated/stream.ts`). */
import type { components } from '../generated/stream.js';

type Schemas = components['schemas'];

export type ServerMessage = Schemas['ServerMessage'];
export type ClientMessage = Schemas['ClientMessage'];
export type Heartbeat = Schemas['Heartbeat'];
export type StreamError = Schemas['StreamError'];
export type Deadman = Schemas['Deadman'];
export type MarketState = Schemas['MarketState'];
export type RoundEvent = Schemas['RoundEvent'];
export type FillEvent = Schemas['FillEvent'];

export type Channel = Schemas['Channel'];

export interface MessageOf {
  readonly markets: Schemas['MarketsMessage'];
  readonly prices: Schemas['PricesMessage'];
  readonly account: Schemas['AccountMessage'];
  readonly rounds: Schemas['RoundsMessage'];
  readonly fills: Schemas['FillsMessage'];
}

export type ChannelMessage = MessageOf[Channel];

/** These channels miss no event; the others bring the newest state. */
export const EVENT_CHANNELS: readonly Channel[] = ['rounds', 'fills'];
