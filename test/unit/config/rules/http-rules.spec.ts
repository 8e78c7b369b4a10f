import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { describe, expect, it } from 'vitest';
import { flawOfAgent, flawOfHeader, flawOfHostName } from '../../../../lib/config/rules/http-rules.js';
import { optionsWith, problemsOf } from '../../../support/secrets/config-canaries.js';

const addRequest = (): void => {};

describe('C4: a header', () => {
  it('may have every character in its name that RFC 9110 allows, and no other', () => {
    const allowed = "!#$%&'*+-.^_`|~0123456789abcxyzABCXYZ";
    for (const letter of allowed) expect(flawOfHeader(letter, '1')).toBeUndefined();
    expect(flawOfHeader(allowed, '1')).toBeUndefined();
    for (const name of ['', ' x', 'x ', 'x:', '"x"', 'x(y)', 'x,y', 'x/y', 'ü', 'x\n'])
      expect(flawOfHeader(name, '1')).toBe(
        'is not the name of an HTTP header. Use letters, digits and hyphens.',
      );
  });

  it('may have every byte in its value that RFC 9110 allows, and no other', () => {
    for (const value of ['', ' ', '~', '\t', '\x80', '\xff', 'a\tb é'])
      expect(flawOfHeader('x', value)).toBeUndefined();
    for (const value of ['\0', '\n', 'a\r', '\x1f', '\x7f', '\u0100', '🔑', 'a\nb'])
      expect(flawOfHeader('x', value)).toBe(
        'holds characters that an HTTP header cannot carry. Remove them.',
      );
  });

  it('S7: for the token is set by this module, in capitals or not', () => {
    for (const name of ['Authorization', 'authorization', 'AUTHORIZATION'])
      expect(flawOfHeader(name, 'x')).toBe('is set by this module, with the access token. Remove it.');
    expect(flawOfHeader('X-Authorization', 'x')).toBeUndefined();
    expect(flawOfHeader('Proxy-Authorization', 'x')).toBeUndefined();
  });

  it.each(['Content-Length', 'Host', 'Transfer-Encoding', 'connection', 'UPGRADE', 'Expect'])(
    'B4: is none that belongs to one request or connection, such as %s',
    (name) => {
      expect(flawOfHeader(name, '3')).toBe(
        'belongs to the connection or to the body of one request, and would break every request. Remove it.',
      );
    },
  );

  it('is there once, whatever its case', async () => {
    const headers = { 'X-A': '1', 'x-b': '2', 'x-a': '3' };
    expect(await problemsOf(optionsWith({ 'http.headers': headers }))).toEqual([
      { path: 'http.headers.x-a', message: 'is there twice, in another case. Keep one of them.' },
    ]);
  });
});

describe('C4: an agent', () => {
  it.each([undefined, {}, { addRequest: true }, () => {}])('is not %s', (agent) => {
    expect(flawOfAgent(agent)).toBe('must be an agent of node:https, or one that extends it.');
  });

  it('S9: is one for https', () => {
    expect(flawOfAgent(new HttpAgent())).toBe('is an agent for http. Make one of node:https.');
    expect(flawOfAgent(new Agent())).toBeUndefined();
    // An agent that decides for each request inherits both protocols.
    expect(flawOfAgent(Object.create({ protocol: 'http:', addRequest }))).toBeUndefined();
  });
});

it.each(['proxy.example:3128', '[::1]:3128', 'a.example,b.example', 'http://proxy.example', 'a b'])(
  'C4: the host of a proxy is not %s',
  (host) => {
    expect(flawOfHostName(host)).toMatch(/^is not a host/);
  },
);
