/** The configuration file that the suite writes for the usual server, and the server's reply. */
export interface UsualConfig {
  readonly file: string;
  /** `fsync` is synchronous=FULL, `os` is NORMAL. */
  readonly durability: 'fsync' | 'os';
  /** By account number less 1. */
  readonly apiKeys: readonly string[];
  readonly balanceCents: number;
  readonly rounds: readonly {
    readonly marketId: string;
    readonly roundNumber: number;
    readonly lockTimeMs: number;
  }[];
  /** Sent with every answer, so that all systems send as many bytes. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type FromUsual = { readonly type: 'listening'; readonly port: number };
