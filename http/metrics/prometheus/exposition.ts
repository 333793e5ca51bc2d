/**
 * The page that Prometheus reads, made by prom-client of figures that other threads have counted, as it brings together
 * metrics of several processes.
 */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import { type Family, gauge } from './family.js';

/** Other metrics of prom-client are those of one thread. */
const OF_PROCESS = 'process_';

export class MetricsPage {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #process = new Registry();
  readonly #build: Family;

  constructor(version: string) {
    collectDefaultMetrics({ register: this.#process });
    const labels = { version, node: process.version };
    this.#build = gauge('tote_build_info', 'Versions of the server and of Node', [[labels, 1]]);
  }

  async text(families: readonly Family[]): Promise<string> {
    const own = await this.#process.getMetricsAsJSON();
    const ofProcess = own
      .filter(({ name }) => name.startsWith(OF_PROCESS))
      .map((metric) => ({ ...metric, aggregator: 'first' }));
    return AggregatorRegistry.aggregate([ofProcess, [this.#build, ...families]]).metrics();
  }
}
