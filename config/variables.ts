/**
 * Every `TOTE_*` environment variable, declared once: its name, default, parser, and line in docs/ops/configuration.md.
 * `config.ts` reads the environment with this table.
 */
import { availableParallelism } from 'node:os';
import { LOG_LEVELS } from '../process/log/events.js';
import {
  addresses,
  defaultGateways,
  flag,
  GATEWAYS_MAX,
  host,
  hoursOrDaysOrAll,
  instant,
  oneOf,
  optional,
  path,
  port,
  rateLimits,
  rulesFile,
  secret,
  someOf,
  token,
  type Variable,
  variable,
  whole,
} from './config-values.js';
import { PRICE_VARIABLES } from './price-variables.js';
import { DEFAULT_RATE_LIMITS, RATE_LIMIT_NAMES } from './rate-limits.js';
import { REPLICATION_VARIABLES } from './replication-variables.js';

const NO_FILE = [null, 'none'] as const;
const SNAPSHOT_COMMANDS_MAX = 1_000_000_000_000;
const SEGMENT_MIB_MAX = 64 * 1024;

const shownRateLimits = RATE_LIMIT_NAMES.map(([name, field]) => `${name}=${DEFAULT_RATE_LIMITS[field]}`);

/** By field of the configuration, in the order of docs/ops/configuration.md. */
export const VARIABLES = {
  host: variable('TOTE_HOST', '127.0.0.1', host, 'public API; base path `/v1`, legacy base path `/api/v1`'),
  port: variable('TOTE_PORT', '8080', port, 'its port; 0 takes a free one, the banner says which'),
  gateways: optional(
    'TOTE_GATEWAYS',
    [
      defaultGateways(availableParallelism()),
      'by the number of cores: 0 on one and two, 2 on four, 4 on eight',
    ],
    whole(0, GATEWAYS_MAX),
    "threads that serve the public port; 0: the engine's thread serves it",
  ),
  operatorHost: variable('TOTE_OPERATOR_HOST', '127.0.0.1', host, 'operator API, never on the public port'),
  operatorPort: variable('TOTE_OPERATOR_PORT', '8081', port, 'its port'),
  operatorToken: secret(
    'TOTE_OPERATOR_TOKEN',
    [null, 'made at the first start, kept in `<data>/operator-token` (mode 0600)'],
    token,
    '`Authorization: Bearer`; 16 to 255 visible ASCII characters',
  ),
  operatorTokensFile: optional(
    'TOTE_OPERATOR_TOKENS_FILE',
    [null, '`<data>/operator-tokens`'],
    path,
    'tokens with names and [roles](operators.md#who-may-do-what), made with `npx tote token`; read again on SIGHUP',
  ),
  tlsCertFile: optional(
    'TOTE_TLS_CERT_FILE',
    NO_FILE,
    path,
    'certificate of the public port with its chain, PEM; with its key it turns on [TLS](tls-and-proxy.md#tls)',
  ),
  tlsKeyFile: optional('TOTE_TLS_KEY_FILE', NO_FILE, path, 'its key: RSA or EC, PEM without a passphrase'),
  operatorTlsCertFile: optional(
    'TOTE_OPERATOR_TLS_CERT_FILE',
    NO_FILE,
    path,
    'the same for the operator port. SIGHUP reads all of these files anew',
  ),
  operatorTlsKeyFile: optional('TOTE_OPERATOR_TLS_KEY_FILE', NO_FILE, path, 'its key'),
  operatorClientCaFile: optional(
    'TOTE_OPERATOR_TLS_CLIENT_CA_FILE',
    NO_FILE,
    path,
    'authorities, PEM: requests to the operator port then also need a [client certificate](tls-and-proxy.md#client-certificates-for-operators)',
  ),
  dataDir: variable('TOTE_DATA_DIR', './data', path, 'one process at a time'),
  ...PRICE_VARIABLES,
  /** null, here and for feed and rules: the directory's own (`setup.ts`). */
  clock: optional(
    'TOTE_CLOCK',
    [null, "the directory's own; system in a new one"],
    oneOf('system', 'manual'),
    '`manual`: a sandbox, where only the operator API moves time',
  ),
  clockStartMs: optional(
    'TOTE_CLOCK_START',
    [null, "the machine's time"],
    instant,
    'with the clock `manual`: the time at which a new directory begins, such as `2026-06-10T00:00:00Z`',
  ),
  changeSetup: variable(
    'TOTE_CHANGE_SETUP',
    'none',
    someOf('feed', 'clock', 'rules'),
    'facts of the directory that this start may change: `feed`, `clock`, `rules`, separated by commas ([below](#facts-of-a-directory))',
  ),
  demo: variable(
    'TOTE_DEMO',
    '1',
    flag,
    'demo account and curl line at the first start, with simulated prices or a manual clock alone',
  ),
  rateLimits: variable(
    'TOTE_RATE_LIMITS',
    shownRateLimits.join(','),
    rateLimits,
    'requests in any 60 s, or `off`; limits not named keep their defaults, `key_cancel` four times `key_write`',
  ),
  trustedProxies: variable(
    'TOTE_TRUSTED_PROXIES',
    'none',
    addresses,
    'addresses or ranges (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-For` is trusted: [behind a proxy](tls-and-proxy.md#behind-a-reverse-proxy)',
  ),
  durability: variable(
    'TOTE_DURABILITY',
    'fsync',
    oneOf('fsync', 'os'),
    '`os`: leave it to the operating system; a power loss may take back the newest answers',
  ),
  ...REPLICATION_VARIABLES,
  snapshotCommands: variable(
    'TOTE_SNAPSHOT_COMMANDS',
    '1,000,000',
    whole(1, SNAPSHOT_COMMANDS_MAX),
    'commands after which a snapshot of the whole state is written; also once a start would replay for some 5 s, and after 15 minutes if anything happened',
  ),
  segmentBytesMax: variable(
    'TOTE_SEGMENT_MIB',
    '256',
    (text) => whole(1, SEGMENT_MIB_MAX)(text) * 1024 * 1024,
    'size at which a segment of the journal is sealed and the next one begins',
  ),
  retentionMs: variable(
    'TOTE_RETENTION',
    'all',
    hoursOrDaysOrAll,
    'how long the past can be shown: `all`, or `12h`, `30d` ([retention](data-directory.md#retention))',
  ),
  logLevel: variable(
    'TOTE_LOG_LEVEL',
    'info',
    oneOf(...LOG_LEVELS),
    'fatal, error, warn, info, debug, trace, silent',
  ),
  rules: optional(
    'TOTE_RULES_FILE',
    [null, "the directory's own; none in a new one"],
    rulesFile,
    'a JSON file that changes parts of the [rules](#rules); `none`: the defaults',
  ),
} as const;

type ValueOf<V> = V extends Variable<infer T> ? T : never;

/** The parsed value of each variable, or its default. */
export type Config = { readonly [Field in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Field]> } & {
  /** `NODE_ENV=production` (`production.ts`). */
  readonly isProduction: boolean;
};
