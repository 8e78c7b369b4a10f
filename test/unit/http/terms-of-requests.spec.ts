import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { AxiosError } from 'axios';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InterfaceTerms } from '../../../lib/catalogue/catalogue.js';
import { steeredClient, type SteeredClient, type WayOut } from '../../support/http/http-client.js';
import { errorOf } from '../../support/token/token-fixtures.js';

const everyStatus = { validateStatus: () => true };

/** A client whose calls end with these statuses, and the events of its refused tokens. */
function given(
  terms: InterfaceTerms,
  way: WayOut,
  statuses: number[],
): SteeredClient & { outcomes: unknown[] } {
  const client = steeredClient({}, way, terms);
  client.stub.statuses = statuses;
  const outcomes: unknown[] = [];
  const add = (event: unknown): void => void outcomes.push((event as { outcome: string }).outcome);
  subscribe('provider-auth:http-unauthorized', add);
  onTestFinished(() => void unsubscribe('provider-auth:http-unauthorized', add));
  return { ...client, outcomes };
}

describe.each<WayOut>(['adapter', 'direct'])('a definition with terms, requests by the %s way', (way) => {
  it('B31: sends the scheme before the token, also when it sends again', async () => {
    const { axios, stub } = given({ scheme: 'Zoho-oauthtoken' }, way, [401, 200]);
    await axios.get('/payments');
    expect(stub.direct > 0).toBe(way === 'direct');
    expect(stub.authorizations).toEqual(['Zoho-oauthtoken canary-token-1', 'Zoho-oauthtoken canary-token-2']);
  });

  it.each<[InterfaceTerms['refusedWith'] & object, number]>([
    [[401], 401],
    [[403], 403],
    [[401, 403], 401],
    [[401, 403], 403],
  ])(
    'B31: with refusedWith %j, a %d renews the token, sends once more and is an event',
    async (refusedWith, status) => {
      const { axios, stub, tokens, outcomes } = given({ refusedWith }, way, [status, 200]);
      expect((await axios.get('/payments')).status).toBe(200);
      expect(stub.seen).toHaveLength(2);
      expect(tokens.renewals.map((token) => token.reveal())).toEqual(['canary-token-1']);
      expect(outcomes).toEqual(['recovered']);
    },
  );

  it.each<[InterfaceTerms['refusedWith'] & object, number]>([
    [[401], 403],
    [[403], 401],
    [[401, 403], 404],
  ])('B31: with refusedWith %j, a %d says nothing about the token', async (refusedWith, status) => {
    const { axios, stub, tokens, outcomes } = given({ refusedWith }, way, [status]);
    expect((await axios.get('/payments', everyStatus)).status).toBe(status);
    expect([stub.seen.length, tokens.renewals.length, outcomes]).toEqual([1, 0, []]);
  });

  it('B31: a 403 that no caller gets renews for the next call', async () => {
    const { axios, stub, tokens, outcomes } = given({ refusedWith: [403] }, way, []);
    let status = 401;
    stub.respond = (config) =>
      Promise.reject(new AxiosError('aborted', 'ECONNRESET', config, { res: { statusCode: status } }));
    await errorOf(axios.get('/payments'));
    expect([tokens.renewals.length, outcomes]).toEqual([0, []]);
    status = 403;
    await errorOf(axios.get('/payments'));
    expect([tokens.renewals.length, outcomes]).toEqual([1, ['refused']]);
  });

  it('B31: the warning about a stream that is not sent again names the status', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { axios, outcomes } = given({ refusedWith: [403] }, way, [403]);
    await axios.post('/uploads', Readable.from(['x']), everyStatus);
    expect(warn.mock.lastCall?.[0]).toContain('got a 403 and was not sent again');
    expect(outcomes).toEqual(['not_replayable']);
  });
});
