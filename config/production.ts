/** `NODE_ENV=production`: what a server with real bettors refuses, and what it names in its log. */
import { tlsFilesOf } from './tls-files.js';
import type { Config } from './variables.js';

const isLoopback = (host: string): boolean => /^(127\.[\d.]+|::1|localhost)$/.test(host);

/** One sentence each. */
export function mistakesOfProduction(config: Config): string[] {
  const { isProduction, operatorHost } = config;
  if (!isProduction || isLoopback(operatorHost) || tlsFilesOf(config).operator !== null) return [];
  return [
    `TOTE_OPERATOR_HOST: ${operatorHost} without TLS shows the operators' tokens to the network; expected 127.0.0.1, or TOTE_OPERATOR_TLS_CERT_FILE and its key`,
  ];
}

/** Settings that weaken a promise and are allowed all the same, one sentence each. */
export function risksOf(config: Config): string[] {
  if (!config.isProduction) return [];
  const { host, feed, clock, durability, rateLimits, lateFrames, trustedProxies } = config;
  const isPlain = tlsFilesOf(config).public === null && trustedProxies.length === 0 && !isLoopback(host);
  const risks: readonly (readonly [isTaken: boolean, sentence: string])[] = [
    [feed === 'simulated', 'TOTE_FEED=simulated: prices are made up'],
    [clock === 'manual', 'TOTE_CLOCK=manual: time moves only when operators move it'],
    [durability === 'os', 'TOTE_DURABILITY=os: a power loss may take back acknowledged orders'],
    [rateLimits === null, "TOTE_RATE_LIMITS=off: one client may take all of the server's time"],
    [
      lateFrames.length > 0,
      `TOTE_LATE_FRAMES=${lateFrames.join(',')}: these take orders however late prices are`,
    ],
    [isPlain, `TOTE_HOST=${host} without TLS, and no TOTE_TRUSTED_PROXIES: API keys travel in plain text`],
  ];
  return risks.filter(([isTaken]) => isTaken).map(([, sentence]) => sentence);
}
