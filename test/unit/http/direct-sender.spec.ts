import { Agent } from 'node:https';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { steeredClient, type SteeredClient } from '../../support/http/http-client.js';

type Prepare = (client: SteeredClient) => unknown;

const nothing: Prepare = () => undefined;
const waiting: Prepare = ({ tokens }) => (tokens.inMemory = undefined);
const intercepted: Prepare = ({ axios }) => axios.interceptors.request.use((config) => config);
const refused: Prepare = ({ stub }) => (stub.statuses = [401, 200]);

describe('B16: a direct sender', () => {
  it.each<[string, Prepare, AxiosRequestConfig, number]>([
    ['sends a direct call', nothing, {}, 1],
    ['sends it after a wait for its token', waiting, {}, 1],
    ['sends it after an interceptor', intercepted, {}, 1],
    ['sends it after an interceptor, with an object as its body', intercepted, { data: { a: 1 } }, 1],
    ['sends it again after a 401', refused, {}, 2],
    ['gets no call with redirects', nothing, { maxRedirects: 3 }, 0],
    ['gets none after a wait', waiting, { maxRedirects: 3 }, 0],
    ['gets none after an interceptor', intercepted, { maxRedirects: 3 }, 0],
    ['gets none after a 401', refused, { maxRedirects: 3 }, 0],
    ['gets no call with an agent', nothing, { httpsAgent: new Agent() }, 0],
    ['gets no body above its limit', nothing, { data: 'four', maxBodyLength: 3 }, 0],
  ])('B16: %s', async (_, prepare, config, direct) => {
    const client = steeredClient({}, 'direct');
    prepare(client);
    const { status } = await client.axios.request({ url: '/payments', method: 'post', ...config });
    expect([status, client.stub.direct]).toEqual([200, direct]);
  });
});
