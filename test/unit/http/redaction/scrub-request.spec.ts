import { describe, expect, it } from 'vitest';
import { scrubRequest } from '../../../../lib/http/redaction/clean-request.js';
import { findCanaries } from '../../../support/secrets/canary-scanner.js';

const TOKEN = 'canary-token-1';
const BEARER = `Bearer ${TOKEN}`;

/** An object with a property under one of Node's own symbols. */
function under(description: string, value: unknown, owner: object = {}): object {
  return Object.assign(owner, { [Symbol(description)]: value });
}

function valueUnder(description: string, owner: object): unknown {
  const symbol = Object.getOwnPropertySymbols(owner).find((one) => one.description === description);
  return symbol && Reflect.get(owner, symbol);
}

describe('B12: a request that has been sent', () => {
  it('keeps a head, but not its text', () => {
    const request = { _header: `GET / HTTP/1.1\r\nAuthorization: ${BEARER}\r\n` };
    scrubRequest(request);
    expect(request).toEqual({ _header: '[redacted]' });
    const unsent = { _header: null };
    scrubRequest(unsent);
    expect(unsent).toEqual({ _header: null });
  });

  it('keeps no token in chunks that were not sent yet, and keeps the other text', () => {
    const body = Buffer.from('body');
    const request = {
      outputData: [
        { data: `GET / HTTP/1.1\r\nAuthorization: ${BEARER}\r\nX-Authorization: kept\r\n\r\n` },
        { data: body },
        null,
        'x',
      ],
    };
    scrubRequest(request);
    expect(request.outputData).toEqual([
      { data: 'GET / HTTP/1.1\r\nAuthorization: [redacted]\r\nX-Authorization: kept\r\n\r\n' },
      { data: body },
      null,
      'x',
    ]);
    expect(request.outputData[1]).toMatchObject({ data: body });
  });

  it('keeps the name and the place of its header among the sent headers', () => {
    const headers = { host: ['Host', 'x'], authorization: ['Authorization', BEARER] };
    const request = under('kOutHeaders', headers, under('another', { authorization: 'kept' }));
    scrubRequest(request);
    expect(valueUnder('kOutHeaders', request)).toEqual({
      host: ['Host', 'x'],
      authorization: ['Authorization', '[redacted]'],
    });
    expect(valueUnder('another', request)).toEqual({ authorization: 'kept' });
  });

  it('gets no header that it did not have', () => {
    const request = under('kOutHeaders', { host: ['Host', 'x'] });
    scrubRequest(request);
    expect(valueUnder('kOutHeaders', request)).toEqual({ host: ['Host', 'x'] });
    const without = under('kOutHeaders', null);
    scrubRequest(without);
    expect(valueUnder('kOutHeaders', without)).toBeNull();
  });

  it('leaves no token in the socket that it opened, which stays in the pool', () => {
    const options = { headers: { Authorization: BEARER, host: 'x' } };
    const socket = under('connect-options', options);
    scrubRequest({ socket });
    expect(options).toEqual({ headers: { Authorization: '[redacted]', host: 'x' } });
    options.headers.Authorization = 'of another request';
    scrubRequest({ socket });
    expect(options.headers.Authorization).toBe('of another request');
  });

  it('finds the symbols of each copy of Node and of each class', () => {
    const requests = [1, 2].map(() => under('kOutHeaders', { authorization: ['Authorization', BEARER] }));
    for (const request of requests) scrubRequest(request);
    expect(findCanaries(requests, { token: TOKEN })).toEqual([]);
  });

  it.each([
    ['HTTP/2', (headers: object) => ({ sentHeaders: headers })],
    ['its options', (headers: object) => ({ _options: { headers } })],
    [
      'the request that follows redirects',
      (headers: object) => ({ _redirectable: { _options: { headers } } }),
    ],
    ['the request of the last hop', (headers: object) => ({ _currentRequest: { _options: { headers } } })],
  ])('leaves no token in the headers of %s', (_, holding) => {
    const headers = { AUTHORIZATION: BEARER, authorization: BEARER, host: 'x' };
    scrubRequest(holding(headers));
    expect(headers).toEqual({ AUTHORIZATION: '[redacted]', authorization: '[redacted]', host: 'x' });
  });

  it('may be any object', () => {
    for (const odd of [null, 'x', 1]) {
      const request = {
        socket: odd,
        sentHeaders: odd,
        _options: odd,
        _redirectable: odd,
        _currentRequest: odd,
      };
      scrubRequest(request);
      expect(request.socket).toBe(odd);
      scrubRequest({ outputData: odd, _options: { headers: odd }, _redirectable: { _options: odd } });
    }
  });
});
