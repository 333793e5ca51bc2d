/**
 * One connection to Hermes: the service is asked for each asset's symbol, then its stream of prices is read. Symbols
 * are asked for one after the other: the list of all of them is megabytes, which would hold up the thread that parses
 * it. They are asked for again after a day, and at every connection while one of them is wrong or no stream could be
 * opened.
 */

import { createParser } from 'eventsource-parser';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { getText } from '../live/http-text.js';
import type { Dial, Ended, Listener } from '../live/kept-connection.js';
import { parseReceived } from '../live/received-json.js';
import { faultOfId, HERMES_SYMBOLS, type HermesIds } from './symbols.js';

/** An event with the updates of 14 feeds has about 10,000 characters. */
const EVENT_CHARS_MAX = 1_000_000;
const LIST_CHARS_MAX = 1_000_000;
const CHECKED_FOR_MS = 24 * 3_600_000;

export interface HermesService {
  /** With or without a path; `/v2/...` is appended. */
  readonly url: URL;
  /** Sent as `Authorization: Bearer`; null for a service that asks for none. */
  readonly apiKey: string | null;
  readonly ids: HermesIds;
}

export interface HermesReader {
  /** Reasons not to price an asset; told before the stream opens, again after each check. */
  onChecked(faults: ReadonlyMap<Asset, string>): void;
  /** Returns whether anything in the event was new. */
  onPrices(text: string): boolean;
  onServiceError(detail: string): void;
}

/** A check of the ids holds from one connection to the next. */
export function hermesDial(service: HermesService, monotonicMs: () => number, reader: HermesReader): Dial {
  let soundSinceMs: number | null = null;
  return (listener) => {
    let hangUp = (): void => undefined;
    const failed: Listener['ended'] = (end) => {
      // Asking again while the service wants to be left alone would only prolong that.
      if (end.askedMs === 0) soundSinceMs = null;
      listener.ended(end);
    };
    const openStream = (faults: ReadonlyMap<Asset, string>): void => {
      hangUp = readStream(service, faults, reader, listener, failed);
    };
    if (soundSinceMs !== null && monotonicMs() - soundSinceMs < CHECKED_FOR_MS) {
      openStream(new Map());
    } else {
      hangUp = checkIds(service, listener, (faults) => {
        soundSinceMs = faults.size === 0 ? monotonicMs() : null;
        reader.onChecked(faults);
        openStream(faults);
      });
    }
    return () => hangUp();
  };
}

function checkIds(
  service: HermesService,
  listener: Listener,
  onChecked: (faults: ReadonlyMap<Asset, string>) => void,
): () => void {
  const faults = new Map<Asset, string>();
  let giveUp = (): void => undefined;
  const ask = (index: number): void => {
    const asset = ASSETS[index];
    if (asset === undefined) {
      onChecked(faults);
      return;
    }
    const url = addressOf(service, '/v2/price_feeds', [['query', HERMES_SYMBOLS[asset]]]);
    giveUp = getWhole(service, url, listener, (body) => {
      const fault = faultOfId(asset, service.ids[asset], body);
      if (fault === undefined) return listener.ended(endedBy('the list of price feeds is not in its form'));
      if (fault !== null) faults.set(asset, fault);
      listener.heard();
      ask(index + 1);
    });
  };
  ask(0);
  return () => giveUp();
}

function getWhole(
  service: HermesService,
  url: URL,
  listener: Listener,
  onBody: (body: unknown) => void,
): () => void {
  let text = '';
  const hangUp = getText(url, headersOf(service), tidierOf(service), {
    onOpen: () => undefined,
    onText: (piece) => {
      text += piece;
      if (text.length <= LIST_CHARS_MAX) return;
      hangUp();
      listener.ended(endedBy('the list of price feeds is too long'));
    },
    onEnd: (end) => {
      if (end !== null) return listener.ended(end);
      onBody(parseReceived(text));
    },
  });
  return hangUp;
}

/** `failed` is told of a stream that did not open, `listener` of everything else. */
function readStream(
  service: HermesService,
  faults: ReadonlyMap<Asset, string>,
  reader: HermesReader,
  listener: Listener,
  failed: Listener['ended'],
): () => void {
  const ids = ASSETS.filter((asset) => !faults.has(asset)).map((asset) => service.ids[asset]);
  if (ids.length === 0) {
    failed(endedBy('no asset may be priced by this service'));
    return () => undefined;
  }
  const tidy = tidierOf(service);
  let isOpen = false;
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ event, data }) => {
      if (event === 'error') return reader.onServiceError(tidy(data));
      if (reader.onPrices(data)) listener.heard();
    },
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      hangUp();
      listener.ended(endedBy('an event of the stream is too long'));
    },
  });
  const hangUp = getText(
    streamUrl(service, ids),
    { ...headersOf(service), accept: 'text/event-stream' },
    tidy,
    {
      onOpen: () => {
        isOpen = true;
        listener.opened();
      },
      onText: (piece) => parser.feed(piece),
      onEnd: (end) => {
        if (isOpen) listener.ended(end ?? endedBy('the service closed the stream'));
        else failed(end ?? endedBy('the service sent no stream'));
      },
    },
  );
  return hangUp;
}

function streamUrl(service: HermesService, ids: readonly string[]): URL {
  return addressOf(service, '/v2/updates/price/stream', [
    ...ids.map((id) => ['ids[]', id] as const),
    ['parsed', 'true'],
    ['encoding', 'base64'],
    // An id that the service has dropped since the check must not take the others with it.
    ['ignore_invalid_price_ids', 'true'],
  ]);
}

export function addressOf(
  { url }: HermesService,
  path: string,
  query: readonly (readonly [string, string])[],
): URL {
  const address = new URL(url);
  address.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of query) address.searchParams.append(name, value);
  return address;
}

export function headersOf({ apiKey }: HermesService): Readonly<Record<string, string>> {
  return { 'user-agent': 'tote', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) };
}

export const tidierOf =
  ({ apiKey }: HermesService) =>
  (text: string): string =>
    apiKey === null ? text : text.replaceAll(apiKey, '[key]');

const endedBy = (reason: string): Ended => ({ reason, askedMs: 0 });
