/** Exports of the package `tote-client`. */
export type { ServerClock } from './base/clock.js';
export { type ClientCode, type CurrentOdds, type ErrorCode, ToteError } from './base/errors.js';
export * from './base/money.js';
export type { Surroundings } from './base/timing.js';
export type * from './base/types.js';
export { type ClientOptions, ToteClient, type WatchOptions } from './client.js';
export type { ProofEvidence } from './proofs/evidence.js';
export type { ProofWarning } from './proofs/sense.js';
export * from './proofs/signed.js';
export {
  PROOF_STEPS,
  type ProofStep,
  type ProofVerdict,
  verifyProof,
} from './proofs/verify.js';
export { eachOf, type Page, type PageQuery } from './rest/pages.js';
export type { CallOptions, OrderOptions, OrderToPlace, PlacedOrder } from './rest/persist.js';
export { RETRIED_CODES } from './rest/retry.js';
export type { ConnectionEnd, WebSocketConstructor, WebSocketLike } from './stream/connection.js';
export type { StreamOptions, StreamState, ToteStream } from './stream/stream.js';
export type {
  ChannelMessage,
  StreamPosition,
  SubscribeOptions,
  Subscription,
} from './stream/subscription.js';
