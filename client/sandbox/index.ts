/** Exports of the package as `tote-client/sandbox`. */
export {
  type Account,
  type Bettor,
  type BettorOptions,
  OperatorClient,
  type OperatorOptions,
  type Prices,
} from './operator.js';
export { type PriceRow, parsePricePath, playPrices } from './price-path.js';
