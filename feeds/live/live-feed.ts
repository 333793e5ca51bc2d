/** A price feed that comes over a network, with its figures. */
import type { Asset } from '../../engine/model/domain.js';
import type { PriceFeed, TickVerdict } from '../../engine/model/ports.js';
import type { ConnectionView } from './kept-connection.js';

/** Updates of one asset since the start. */
export interface UpdateCounts {
  /** Passed on and believed. */
  taken: number;
  /** Refused as absurd, or like any old tick. */
  refused: number;
  /** Not used: a feed that is preferred has prices. */
  standby: number;
  /** Not passed on: not later than the last one, or the same again. */
  repeated: number;
  /** Not passed on: the service itself was too unsure of the price. */
  unsure: number;
}

export interface FeedView {
  readonly name: string;
  readonly connection: ConnectionView;
  /** Assets that this feed may not price, each with the reason. */
  readonly excluded: Readonly<Partial<Record<Asset, string>>>;
  readonly updates: Readonly<Partial<Record<Asset, Readonly<UpdateCounts>>>>;
  readonly latenessMs: Readonly<Partial<Record<Asset, number | null>>>;
  readonly malformed: number;
}

export interface LiveFeed extends PriceFeed {
  /** Publication of the newest price heard, by the service's own clock; 0 before the first. */
  readonly newestMs: number;
  covers(asset: number): boolean;
  /** How late the asset's prices arrive, nine of ten, by the service's own times; null before the first. */
  latenessMs(asset: number): number | null;
  view(): FeedView;
}

export const ON_STANDBY: TickVerdict = { taken: false, detail: 'another feed is preferred' };
