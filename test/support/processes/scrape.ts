/** A scrape of `GET /metrics`, in Prometheus's text format, and waiting for one. */
import assert from 'node:assert/strict';
import { askUntil } from '../ask-until.js';
import { Client } from '../http/client.js';
import type { Server } from './server.js';

export class Scrape {
  /** By metric with its labels, as they are written. */
  readonly #values = new Map<string, number>();
  readonly types = new Map<string, string>();

  constructor(readonly text: string) {
    for (const line of text.split('\n')) {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) this.types.set(name, type);
      const [, sample, value] = /^([a-z]\S*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      if (sample !== undefined) this.#values.set(sample, Number(value?.replace('+Inf', 'Infinity')));
    }
    assert.ok(this.types.size > 0, text);
  }

  /** `sample` such as `tote_keys` or `tote_commands_total{kind="advance",outcome="accepted"}`. */
  value(sample: string): number | undefined {
    return this.#values.get(sample);
  }

  of(metric: string): [sample: string, value: number][] {
    return [...this.#values].filter(([sample]) => sample === metric || sample.startsWith(`${metric}{`));
  }

  sum(metric: string): number {
    return this.of(metric).reduce((sum, [, value]) => sum + value, 0);
  }

  get names(): Set<string> {
    return new Set([...this.#values.keys()].map((sample) => sample.replace(/\{.*/, '')));
  }
}

export async function scrape({ operatorUrl, token }: Pick<Server, 'operatorUrl' | 'token'>): Promise<Scrape> {
  const { status, text } = await new Client(operatorUrl, { Authorization: `Bearer ${token}` }).get(
    '/metrics',
  );
  assert.equal(status, 200, text);
  return new Scrape(text);
}

/** Figures of the engine's thread are taken once a second. */
export const scrapeWhere = (server: Server, holds: (scraped: Scrape) => boolean): Promise<Scrape> =>
  askUntil(() => scrape(server), holds, 50);
