/**
 * One connection to Hermes: the service is asked for each asset's symbol, then its stream of prices is read. Symbols
 * are asked for one after the other: the list of all of them is megabytes, which would hold up the thread that parses
 * it. They are asked for again after a day, and at every connection while one of them is wrong or no stream could be
 * opened.
 */
import { createParser } from 'eventsource-parser';
import { parsedJson } from '../../engine/base/attempt.js';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { getText, getWholeText, type TextRequest, wordsOf } from '../live/http-text.js';
import type { Dial, Ended, Listener } from '../live/kept-connection.js';
import { faultOfId, HERMES_SYMBOLS } from './symbols.js';

/** An event with the updates of 14 feeds has about 10,000 characters. */
const EVENT_CHARS_MAX = 1_000_000;
const LIST_CHARS_MAX = 1_000_000;
const CHECKED_FOR_MS = 24 * 3_600_000;
/** A shorter part of a path is no key. */
const KEY_CHARS_MIN = 8;

export interface HermesService {
  /** With or without a path; `/v2/...` is appended. */
  readonly url: URL;
  /** Sent as `Authorization: Bearer`; null for a service that asks for none. */
  readonly apiKey: string | null;
}

interface HermesReader {
  /** Reasons not to price an asset; told before the stream opens, again after each check. */
  onChecked(faults: ReadonlyMap<Asset, string>): void;
  /** Returns whether anything in the event was new. */
  onPrices(text: string): boolean;
  onServiceError(detail: string): void;
}

/** A check of the ids holds from one connection to the next. */
export function hermesDial(service: HermesService, monotonicMs: () => number, reader: HermesReader): Dial {
  let soundSinceMs: number | null = null;
  return async (listener, signal) => {
    let faults: ReadonlyMap<Asset, string> = new Map();
    if (soundSinceMs === null || monotonicMs() - soundSinceMs >= CHECKED_FOR_MS) {
      const checked = await checkIds(service, listener, signal);
      if ('reason' in checked) return checked;
      faults = checked;
      soundSinceMs = faults.size === 0 ? monotonicMs() : null;
      reader.onChecked(faults);
    }
    const { isOpen, end } = await readStream(service, faults, reader, listener, signal);
    // Asking again while the service wants to be left alone would only prolong that.
    if (!isOpen && end.askedMs === 0) soundSinceMs = null;
    return end;
  };
}

async function checkIds(
  service: HermesService,
  listener: Listener,
  signal: AbortSignal,
): Promise<ReadonlyMap<Asset, string> | Ended> {
  const faults = new Map<Asset, string>();
  for (const asset of ASSETS) {
    const url = addressOf(service, '/v2/price_feeds', [['query', HERMES_SYMBOLS[asset][0]]]);
    const text = await getWholeText(requestOf(service, url, signal), LIST_CHARS_MAX);
    if (typeof text !== 'string') return text;
    const fault = faultOfId(asset, parsedJson(text));
    if (fault === undefined) return endedBy('the list of price feeds is not in its form');
    if (fault !== null) faults.set(asset, fault);
    listener.heard();
  }
  return faults;
}

async function readStream(
  service: HermesService,
  faults: ReadonlyMap<Asset, string>,
  reader: HermesReader,
  listener: Listener,
  signal: AbortSignal,
): Promise<{ readonly isOpen: boolean; readonly end: Ended }> {
  const ids = ASSETS.filter((asset) => !faults.has(asset)).map((asset) => HERMES_SYMBOLS[asset][1]);
  if (ids.length === 0) return { isOpen: false, end: endedBy('no asset may be priced by this service') };
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ event, data }) => {
      if (event === 'error') return reader.onServiceError(wordsOf(tidy(data)));
      if (reader.onPrices(data)) listener.heard();
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLong = true;
    },
  });
  const request = requestOf(service, updatesAt(service, 'stream', ids), signal);
  const { tidy } = request;
  let isOpen = false;
  for await (const piece of getText({
    ...request,
    headers: { ...request.headers, accept: 'text/event-stream' },
  })) {
    if (typeof piece !== 'string') return { isOpen, end: piece };
    if (!isOpen) listener.opened();
    isOpen = true;
    parser.feed(piece);
    if (isTooLong) return { isOpen, end: endedBy('an event of the stream is too long') };
  }
  return { isOpen, end: endedBy('the service closed the stream') };
}

/** `when` is a second since 1970, or `stream`. */
export const updatesAt = (service: HermesService, when: string | number, ids: readonly string[]): URL =>
  addressOf(service, `/v2/updates/price/${when}`, [
    ...ids.map((id) => ['ids[]', id] as const),
    ['parsed', 'true'],
    ['encoding', 'base64'],
    // An id that the service has dropped since the check must not take the others with it.
    ['ignore_invalid_price_ids', 'true'],
  ]);

function addressOf({ url }: HermesService, path: string, query: readonly (readonly [string, string])[]): URL {
  const address = new URL(url);
  address.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of query) address.searchParams.append(name, value);
  return address;
}

export function requestOf(service: HermesService, url: URL, signal: AbortSignal): TextRequest {
  const { apiKey } = service;
  // Some providers have the key in the path, and an answer may repeat what was asked for.
  const secrets = [apiKey ?? '', ...service.url.pathname.split('/')].filter(
    (text) => text.length >= KEY_CHARS_MIN,
  );
  return {
    ...{ url, signal },
    headers: { 'user-agent': 'tote', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    tidy: (text) => secrets.reduce((tidied, secret) => tidied.replaceAll(secret, '[key]'), text),
  };
}

const endedBy = (reason: string): Ended => ({ reason, askedMs: 0 });
