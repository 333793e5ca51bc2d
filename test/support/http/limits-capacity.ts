import type { LimitsCapacity } from '../../../http/limits/shared-limits.js';

/** Rate limits of a size for tests, which make them by the hundred. */
export const FEW_LIMITS: LimitsCapacity = { addresses: 1_000, keys: 5_000, blocks: 20_000 };

export const accountOf = (key: number): number => 1 + ((key - 1) >> 1);
