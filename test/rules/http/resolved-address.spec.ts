import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpSettings } from '../../../lib/config/options/profile.js';
import type { ProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { BaseAddress, pathWithParams } from '../../../lib/net/base-address.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { clientOn } from '../../support/http/loopback-client.js';
import { WireServer } from '../../support/http/wire-server.js';

const PATH_PIECES = [
  '/',
  '//',
  '.',
  '..',
  '/..',
  'a/..',
  '%2e',
  '%2f',
  '%5c',
  '\\',
  ';',
  ':',
  '@',
  "'",
  '[',
  '|',
  '^',
  '{',
  'a',
  'payments',
  'é',
  '\u{1F600}',
  ' ',
  '\t',
  'https://evil.example',
  'me:mine@',
];
const QUERY_PIECES = [
  'a=1',
  '&',
  '?',
  '#',
  '%20',
  '%',
  '+',
  ' ',
  "'",
  '"',
  '<',
  '[]',
  '|',
  'é',
  '..',
  '/',
  '\\',
];

const path = fc.array(fc.constantFrom(...PATH_PIECES), { maxLength: 6 });
const query = fc.array(fc.constantFrom(...QUERY_PIECES), { maxLength: 5 });
const paramValue = fc.oneof(
  fc.string({ maxLength: 6, unit: 'grapheme' }),
  fc.integer(),
  fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
);

/** The members with which a caller decides about the address of a request. */
const requests = fc.record(
  {
    url: fc
      .tuple(path, fc.option(query))
      .map(([pieces, asked]) => pieces.join('') + (asked === null ? '' : `?${asked.join('')}`)),
    absolute: fc.boolean(),
    isBelow: fc.boolean(),
    allowAbsoluteUrls: fc.boolean(),
    params: fc.dictionary(fc.constantFrom('q', 'page', 'ids', "o'n"), paramValue, { maxKeys: 3 }),
  },
  { requiredKeys: ['url'] },
);

const TRANSPORTS: [string, Partial<HttpSettings>][] = [
  ['node:https', {}],
  ['undici', { transport: undiciTransport() }],
];

describe.each(TRANSPORTS)('the address of a request that is sent by %s', (_, http) => {
  let server: WireServer;
  let client: ProviderHttpClient;

  beforeAll(async () => {
    server = await WireServer.start();
    client = clientOn(`${server.url}/v1`, http, new ClientTls({ ca: server.ca }));
  });

  afterAll(async () => {
    await client.close();
    await server.close();
  });

  it('S6: is resolved once: what was checked is the request line that the server sees', async () => {
    const base = new BaseAddress(`${server.url}/v1`);
    let sent = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(requests, async ({ url, absolute, isBelow, ...rest }) => {
        const config: AxiosRequestConfig = {
          url: absolute ? `${server.url}/v1${url}` : url,
          baseURL: isBelow ? `${server.url}/v1/below/` : `${server.url}/v1`,
          ...rest,
        };
        const address = base.resolve(config as InternalAxiosRequestConfig);
        server.seen = [];
        const result = await client.axios.request(config).catch((error: unknown) => error);
        const isSent = address.verdict === 'UNDER_BASE_URL';
        if (isSent) sent += 1;
        else refused += 1;
        const line = pathWithParams(address, config as InternalAxiosRequestConfig);
        const expected = isSent ? { status: 200, request: { path: line } } : { code: address.verdict };
        expect(result).toMatchObject(expected);
        expect(server.seen.map((seen) => seen.url)).toEqual(isSent ? [line] : []);
      }),
      // Always the same requests, so that a failure occurs again.
      { numRuns: 300, seed: 20_261 },
    );
    expect(Math.min(sent, refused)).toBeGreaterThan(50);
  });
});
