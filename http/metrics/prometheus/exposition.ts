/**
 * The page that Prometheus reads, made by prom-client of figures that other threads have counted, as it brings together
 * metrics of several processes.
 */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import type { Reading } from '../readings.js';
import { leaderFigures } from '../replication.js';
import { engineFamilies } from './engine-families.js';
import { type Family, gauge } from './family.js';
import { gatewayFamilies, type RouteName } from './gateway-families.js';
import { replicationFamilies } from './replication-families.js';
import { accessFamilies, type GuessCounts, threadFamilies } from './thread-families.js';

export interface Build {
  readonly version: string;
  readonly node: string;
}

/** Other metrics of prom-client are those of one thread. */
const OF_PROCESS = 'process_';

export class MetricsPage {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #process = new Registry();

  constructor(private readonly build: Build) {
    collectDefaultMetrics({ register: this.#process });
  }

  async text(given: readonly Family[]): Promise<string> {
    const own = await this.#process.getMetricsAsJSON();
    const ofProcess = own
      .filter(({ name }) => name.startsWith(OF_PROCESS))
      .map((metric) => ({ ...metric, aggregator: 'first' }));
    const { version, node } = this.build;
    const families = [
      gauge('tote_build_info', 'Versions of the server and of Node', [[{ version, node }, 1]]),
      ...given,
    ];
    return AggregatorRegistry.aggregate([ofProcess, families]).metrics();
  }
}

/** For a server that leads, or has nobody to lead. */
export class Exposition {
  readonly #page: MetricsPage;

  constructor(
    private readonly routes: readonly RouteName[],
    private readonly guesses: () => GuessCounts,
    build: Build,
  ) {
    this.#page = new MetricsPage(build);
  }

  get contentType(): string {
    return this.#page.contentType;
  }

  text(reading: Reading): Promise<string> {
    return this.#page.text([
      ...gatewayFamilies(reading, this.routes),
      ...engineFamilies(reading),
      ...replicationFamilies(leaderFigures(reading.gauges), reading.publish),
      ...threadFamilies(reading),
      ...accessFamilies(this.guesses()),
    ]);
  }
}
