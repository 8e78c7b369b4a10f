import axios from 'axios';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptedEncodings, completeHeaders } from '../../../lib/wire/wire-request.js';

const AGENT = ['User-Agent', `axios/${Reflect.get(axios, 'VERSION')}`];
const ENCODINGS = 'gzip, compress, deflate, br';
const ACCEPTED = ['Accept-Encoding', ENCODINGS];

function asked(value: unknown): string {
  return acceptedEncodings({ transitional: { advertiseZstdAcceptEncoding: value } as object });
}

describe('the headers that axios adds to a request', () => {
  it('B17: are the agent, the length and the encodings, in this order after those of the request', () => {
    const headers = ['Accept', 'a/b'];
    expect(completeHeaders(headers, {}, 0)).toBe(headers);
    expect(headers).toEqual(['Accept', 'a/b', ...AGENT, 'Content-Length', '0', ...ACCEPTED]);
  });

  it('B17: have no length if the transport adds it', () => {
    expect(completeHeaders([], {})).toEqual([...AGENT, ...ACCEPTED]);
  });

  it.each(['User-Agent', 'user-agent', 'USER-AGENT'])('B17: have no agent if the request has %s', (name) => {
    expect(completeHeaders([name, 'own/1'], {})).toEqual([name, 'own/1', ...ACCEPTED]);
  });

  it.each(['Accept-Encoding', 'accept-encoding', 'ACCEPT-ENCODING'])(
    'B17: have no encodings if the request has %s',
    (name) => {
      const given = ['Accept', 'a/b', name, 'identity'];
      expect(completeHeaders(given, {})).toEqual(['Accept', 'a/b', name, 'identity', ...AGENT]);
    },
  );

  it('B17: are there for a request whose other names are as long, or whose values are such names', () => {
    const given = ['x-10-chars', 'user-agent', 'x-has-15-letter', 'accept-encoding'];
    expect(completeHeaders([...given], {})).toEqual([...given, ...AGENT, ...ACCEPTED]);
  });

  it('B17: have zstd if the request asks for it and Node has it', () => {
    expect(asked(true)).toBe('createZstdDecompress' in zlib ? `${ENCODINGS}, zstd` : ENCODINGS);
    expect([asked(1), asked(false), acceptedEncodings({})]).toEqual([ENCODINGS, ENCODINGS, ENCODINGS]);
  });
});
