/** Names of hosts. One that can never be resolved would be tried for ever. */

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const NAME = new RegExp(`^${LABEL}(\\.${LABEL})*\\.?$`);
const LENGTH_MAX = 253;

/** Or an IPv4 address; not an IPv6 address. */
export const isHostName = (text: string): boolean =>
  text.length <= LENGTH_MAX && NAME.test(text) && URL.canParse(`http://${text}`);
