import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import type { InterfaceTerms } from '../../../lib/catalogue/catalogue.js';
import { answeredClient } from '../../support/http/http-client.js';

const everyStatus = { validateStatus: () => true };

const given = (terms: InterfaceTerms, statuses: number[]) => answeredClient(statuses, {}, terms);

describe('a definition with terms', () => {
  it('B31: sends the scheme before the token, also when it sends again', async () => {
    const { axios, stub } = given({ scheme: 'Zoho-oauthtoken' }, [401, 200]);
    await axios.get('/payments');
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
      const { axios, stub, tokens, outcomes } = given({ refusedWith }, [status, 200]);
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
    const { axios, stub, tokens, outcomes } = given({ refusedWith }, [status]);
    expect((await axios.get('/payments', everyStatus)).status).toBe(status);
    expect([stub.seen.length, tokens.renewals.length, outcomes]).toEqual([1, 0, []]);
  });

  it('B31: the warning about a stream that is not sent again names the status', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const { axios, outcomes } = given({ refusedWith: [403] }, [403]);
    await axios.post('/uploads', Readable.from(['x']), everyStatus);
    expect(warn.mock.lastCall?.[0]).toContain('got a 403 and was not sent again');
    expect(outcomes).toEqual(['not_replayable']);
  });
});
