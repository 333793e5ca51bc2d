/**
 * A user of a NATS server that trusts an operator, as `nsc` makes them: signed texts that say who is who, and a
 * credentials file. The accounts are the server's own and one that may use JetStream.
 */
import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type Keys = ReturnType<typeof nkeys.createUser>;

const TRAFFIC = { subs: -1, data: -1, payload: -1 };
const UNLIMITED = { ...TRAFFIC, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const STORAGE = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
const EVERYTHING = { pub: {}, sub: {} };

interface NatsUser {
  readonly config: string;
  readonly credentials: string;
}

export function createNatsUser(): NatsUser {
  const operator = nkeys.createOperator();
  const system = nkeys.createAccount();
  const account = nkeys.createAccount();
  const user = nkeys.createUser();
  const accountOf = (keys: Keys, name: string, limits: object): string =>
    signed(operator, keys, name, { type: 'account', limits, default_permissions: EVERYTHING });
  const accounts = [
    `${system.getPublicKey()}: ${accountOf(system, 'SYS', UNLIMITED)}`,
    `${account.getPublicKey()}: ${accountOf(account, 'tote', { ...UNLIMITED, ...STORAGE })}`,
  ];
  const token = signed(account, user, 'tote', { type: 'user', ...EVERYTHING, ...TRAFFIC });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    config: `operator: ${signed(operator, operator, 'exchange', { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload { ${accounts.join(', ')} }
`,
    credentials: `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`,
  };
}

function signed(issuer: Keys, subject: Keys, name: string, nats: object): string {
  const sub = subject.getPublicKey();
  const claims = {
    jti: createHash('sha256').update(sub).digest('hex'),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name,
    sub,
    nats: { version: 2, ...nats },
  };
  const base64 = (value: object | Uint8Array): string =>
    Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url');
  const text = `${base64({ typ: 'JWT', alg: 'ed25519-nkey' })}.${base64(claims)}`;
  return `${text}.${base64(issuer.sign(new TextEncoder().encode(text)))}`;
}
