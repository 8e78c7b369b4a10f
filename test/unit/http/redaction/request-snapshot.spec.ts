import { AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import {
  isSnapshot,
  snapshotOfCall,
  snapshotOfRequest,
} from '../../../../lib/http/redaction/clean-request.js';

const BASE = 'https://api.example.com:8443/v1';
const config: InternalAxiosRequestConfig = {
  baseURL: BASE,
  url: '/things?page=2',
  method: 'post',
  headers: new AxiosHeaders(),
};
const call = { config, address: new BaseAddress(BASE).resolve(config) };

/** The members of a request of `node:http` that a snapshot reads. */
const sent = {
  method: 'PUT',
  protocol: 'https:',
  host: 'api.example.com',
  path: '/v1/things',
  getHeader: (name: string) => (name === 'host' ? 'api.example.com:8443' : 'another header'),
};

describe('a snapshot of a request', () => {
  it('B12: of node:http says where it went, with the port of its Host header', () => {
    expect(snapshotOfRequest(sent, call, 200)).toEqual({
      method: 'PUT',
      host: 'api.example.com',
      path: '/v1/things',
      res: { responseUrl: 'https://api.example.com:8443/v1/things', statusCode: 200 },
    });
  });

  it('B12: uses the host itself if a transport has no Host header', () => {
    const { getHeader, ...bare } = sent;
    const responseUrl = 'https://api.example.com/v1/things';
    expect(snapshotOfRequest(bare, call, 200).res).toMatchObject({ responseUrl });
    expect(snapshotOfRequest({ ...bare, getHeader: () => undefined }, call, 200).res).toMatchObject({
      responseUrl,
    });
    expect(getHeader('host')).toBe('api.example.com:8443');
  });

  it('B12: has no response if there was no response', () => {
    expect(snapshotOfRequest(sent, call)).toEqual({
      method: 'PUT',
      host: 'api.example.com',
      path: '/v1/things',
    });
  });

  it.each([
    ['the answer of follow-redirects', { ...sent, res: { responseUrl: 'https://b.example:1/x?y=1' } }],
    ['the hop that failed', { ...sent, res: null, _currentUrl: 'https://b.example:1/x?y=1' }],
    ['fetch', { method: 'PUT', url: 'https://b.example:1/x?y=1' }],
    ['userinfo left out', { method: 'PUT', url: 'https://me:mine@b.example:1/x?y=1#part' }],
  ])('B12: after redirects it shows %s', (_, request) => {
    expect(snapshotOfRequest(request, call, 302)).toEqual({
      method: 'PUT',
      host: 'b.example',
      path: '/x?y=1',
      res: { responseUrl: 'https://b.example:1/x?y=1', statusCode: 302 },
    });
  });

  it.each([
    ['nothing', {}],
    ['a host alone', { host: 'elsewhere.example' }],
    ['a path alone', { path: '/elsewhere' }],
    ['what is no address', { url: 'elsewhere' }],
    ['what is no text', { method: 1, url: new URL('https://elsewhere.example') }],
  ])('B12: of a request that shows %s, it shows the address that was resolved', (_, request) => {
    expect(snapshotOfRequest(request, call, 200)).toEqual({
      method: 'POST',
      host: 'api.example.com',
      path: '/v1/things?page=2',
      res: { responseUrl: 'https://api.example.com:8443/v1/things?page=2', statusCode: 200 },
    });
  });

  it('B12: of a call without a request shows the address that was resolved', () => {
    expect(snapshotOfCall(call)).toEqual({
      method: 'POST',
      host: 'api.example.com',
      path: '/v1/things?page=2',
    });
    const { method, ...silent } = config;
    expect(snapshotOfCall({ ...call, config: silent })).toMatchObject({ method: 'GET' });
    expect(method).toBe('post');
  });

  it('B12: is empty if there is no address at all', () => {
    expect(snapshotOfRequest({}, { config, address: undefined }, 200)).toEqual({
      method: 'POST',
      host: '',
      path: '',
      res: { responseUrl: '', statusCode: 200 },
    });
  });

  it('B12: is deeply frozen, and recognised as a snapshot', () => {
    const snapshot = snapshotOfRequest(sent, call, 200);
    expect(Object.isFrozen(snapshot) && Object.isFrozen(snapshot.res)).toBe(true);
    expect(isSnapshot(snapshot)).toBe(true);
    expect(isSnapshot(snapshotOfCall(call))).toBe(true);
    expect(isSnapshot({ ...snapshot })).toBe(false);
    expect(isSnapshot(Object.freeze({ ...snapshot, agent: {} }))).toBe(false);
    expect(isSnapshot(Object.freeze({ ...snapshot, [Symbol('agent')]: {} }))).toBe(false);
  });
});
