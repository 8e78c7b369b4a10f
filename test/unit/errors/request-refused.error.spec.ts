import { describe, expect, it } from 'vitest';
import { ProviderAuthError } from '../../../lib/errors/provider-auth.error.js';
import {
  connectedElsewhere,
  outsideBaseUrl,
  REFUSALS,
  RequestRefusedError,
  type RequestRefusedErrorCode,
} from '../../../lib/errors/request-refused.error.js';

const pair = { interface: 'easy', environment: 'sandbox' };
const BASE = 'https://api.example/v1';

describe('S6, S9, B29: a refused request says why it was not sent, and what to do', () => {
  it.each<[RequestRefusedErrorCode, string, string]>([
    [
      'OUTSIDE_BASE_URL',
      outsideBaseUrl('https://evil.example/x', BASE),
      'https://evil.example/x is not under the base URL https://api.example/v1. Pass a path that stays under the base URL, or use your own HTTP client for other hosts.',
    ],
    [
      'OUTSIDE_BASE_URL',
      outsideBaseUrl('https://payments/1', BASE, true),
      'https://payments/1 is not under the base URL https://api.example/v1, because // at the start begins a host name. Pass a path that stays under the base URL, or use your own HTTP client for other hosts.',
    ],
    [
      'OUTSIDE_BASE_URL',
      connectedElsewhere('host', BASE),
      'its Host header leads to another place than the base URL https://api.example/v1. Remove that from the request, or use your own HTTP client for other hosts.',
    ],
    [
      'INSECURE_URL',
      REFUSALS.insecureUrl,
      'its address is not https. Pass a path instead of a whole address, or an https address under the base URL.',
    ],
    [
      'INSECURE_REDIRECT',
      REFUSALS.insecureRedirect,
      'the API redirected it to an address that is not https. Report this to the provider, or set maxRedirects to 0 and handle the redirect yourself.',
    ],
    [
      'INSECURE_REDIRECT',
      REFUSALS.redirectWithCertificate,
      'the API redirected it to an address that is not under the base URL, and the client certificate is only for the base URL. Set maxRedirects to 0, and send the next request with your own HTTP client.',
    ],
  ])('%s, case %#', (code, explanation, text) => {
    const error = new RequestRefusedError(code, pair, explanation);
    expect(error.message).toBe(`A request to easy sandbox was not sent: ${text}`);
    expect(error).toMatchObject({ name: 'RequestRefusedError', code, provider: 'provider', ...pair });
    expect(error).toBeInstanceOf(ProviderAuthError);
  });

  it('B31: names the provider of the application', () => {
    const stock = { provider: 'warehouse', interface: 'stock', environment: 'test' };
    const error = new RequestRefusedError('INSECURE_URL', stock, REFUSALS.insecureUrl);
    expect(error.message).toContain('A request to warehouse stock test was not sent: ');
    expect(error.provider).toBe('warehouse');
  });
});
