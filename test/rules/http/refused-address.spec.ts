import { Agent } from 'node:https';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, it } from 'vitest';
import { RequestRefusedError } from '../../../lib/index.js';
import { given, type RunningApp, TRANSPORT } from '../../support/http/given.js';

async function refusalOf(
  { easy }: RunningApp,
  url: string,
  config: AxiosRequestConfig = {},
): Promise<RequestRefusedError> {
  const error: unknown = await easy.axiosRef.request({ url, ...config }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RequestRefusedError);
  expect(error).toMatchObject({ code: 'OUTSIDE_BASE_URL' });
  return error as RequestRefusedError;
}

describe('B29: OUTSIDE_BASE_URL', () => {
  it('B29: shows origin and path of both addresses, without query, user name and password', async () => {
    const running = await given().app().start();
    const base = running.provider.baseUrl('easy', 'sandbox');
    const url = 'https://canary-user:canary-password@other.example:8443/v1/payments?canary=1#canary';
    const { message } = await refusalOf(running, url);
    expect(message).toBe(
      `A request to easy sandbox was not sent: https://other.example:8443/v1/payments is not under the base URL ${base}. ` +
        'Pass a path that stays under the base URL, or use your own HTTP client for other hosts.',
    );
  });

  const REMOVE = 'leads to another place than the base URL BASE. Remove that from the request, or';
  const DETOURS: [string, string, AxiosRequestConfig][] = [
    ['a Host header', `its Host header ${REMOVE}`, { headers: { Host: 'other.example' } }],
    ['a socketPath', `its socketPath ${REMOVE}`, { socketPath: '/tmp/other.sock' }],
    [
      'an agent',
      'its agent leads to another place than the address of a request (host, port, path, socket or socketPath).',
      { httpsAgent: new Agent({ host: 'other.example' }) },
    ],
  ];
  // undici takes no agent.
  it.each(DETOURS.filter(([name]) => TRANSPORT === 'axios' || name !== 'an agent'))(
    'B29: says that %s leads to another place',
    async (_, words, config) => {
      const running = await given().app().start();
      const { message } = await refusalOf(running, '/payments', config);
      expect(message.replace(running.provider.baseUrl('easy', 'sandbox'), 'BASE')).toContain(`: ${words}`);
    },
  );
});
