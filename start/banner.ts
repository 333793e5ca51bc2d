/** The banner: what the server prints on stdout once it is up. */
import type { SigningKeys } from '../engine/model/proofs/signing.js';

export interface BannerFields {
  readonly version: string;
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** Where the operator token is kept: a file, or the environment. */
  readonly tokenSource: string;
  readonly dataDir: string;
  /** What roots and settlements are signed with. */
  readonly signingKey: Pick<SigningKeys, 'keyId' | 'publicKey'>;
  /** Last recovered sequence number; 0 for a new data directory. */
  readonly recoveredSeq: number;
  readonly durability: 'fsync' | 'os';
  readonly feed: string;
  readonly clock: 'system' | 'manual';
}

export function bannerText(facts: BannerFields): string {
  const durability =
    facts.durability === 'fsync'
      ? 'fsync (an answer is given once it is on disk)'
      : 'os (a power loss may take back the newest answers)';
  const recovered = facts.recoveredSeq === 0 ? 'new' : `recovered to sequence number ${facts.recoveredSeq}`;
  const rows: readonly (readonly [string, string])[] = [
    ['public API', `${facts.publicUrl}/v1   (documentation: ${facts.publicUrl}/docs)`],
    ['operator API', `${facts.operatorUrl}/operator/v1   (token: ${facts.tokenSource})`],
    ['console', `${facts.operatorUrl}/console   (log in with the same token)`],
    ['data', `${facts.dataDir}   (${recovered})`],
    ['signing key', `Ed25519 ${facts.signingKey.publicKey}   (key id: ${facts.signingKey.keyId})`],
    ['durability', durability],
    ['feed', facts.feed],
    ['clock', facts.clock],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)} ${value}`);
  return `tote ${facts.version} is up\n${lines.join('\n')}\n`;
}
