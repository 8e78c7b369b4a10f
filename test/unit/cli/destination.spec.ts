import { beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionFailure, destinationOf, stepsOf } from '../../../lib/cli/destination.js';
import type { Finding } from '../../../lib/cli/step.js';
import { checkOf, FINE } from '../../support/application/doctor-check.js';
import { givenEnvironment } from '../../support/http/proxy-variables.js';
import { profileOf } from '../../support/token/token-fixtures.js';

describe('the destination of a connection', () => {
  beforeEach(() => givenEnvironment());

  it.each([
    ['https://[::1]:8443/oauth/token', '::1', 8443],
    ['https://[::1]/oauth/token', '::1', 443],
    ['https://provider.example/oauth/token', 'provider.example', 443],
    ['https://provider.example:8443', 'provider.example', 8443],
  ])('is the host of the address, without the brackets of an IPv6 address: %s', (address, host, port) => {
    expect(destinationOf(address)).toEqual({ host, port, isProxy: false });
  });

  it.each([
    ['http://proxy.example', 80],
    ['https://proxy.example', 443],
    ['http://proxy.example:3128', 3128],
    ['socks5://proxy.example', 443],
  ])('is the proxy, if the variables name one: %s', (proxy, port) => {
    givenEnvironment({ https_proxy: proxy, no_proxy: 'direct.example' });
    expect(destinationOf('https://provider.example/')).toEqual({
      host: 'proxy.example',
      port,
      isProxy: true,
    });
    expect(destinationOf('https://direct.example/')).toEqual({
      host: 'direct.example',
      port: 443,
      isProxy: false,
    });
  });
});

it('B29: a proxy that cannot be reached is named by the variable that is set', () => {
  givenEnvironment({ ALL_PROXY: 'http://proxy.example' });
  const tokenUrl = destinationOf('https://provider.example/');
  const check = { destinations: { tokenUrl, baseUrl: tokenUrl }, profile: profileOf() };
  expect(connectionFailure(check, 'tokenUrl', 'ECONNREFUSED', 'no connection').advice).toContain(
    'Check ALL_PROXY.',
  );
});

const at = (tokenUrl: string, baseUrl: string) => checkOf({ profile: profileOf({ tokenUrl, baseUrl }) });

function both(check = at('https://auth.example/token', 'https://api.example/v1')) {
  const find = vi.fn<(...args: unknown[]) => Finding>(() => FINE);
  const steps = stepsOf('tcp', find);
  return {
    find,
    names: steps.map(({ name }) => name),
    findings: steps.map((step) => step.run(check)),
    check,
  };
}

describe('one check of both URLs', () => {
  it('is a step for each of them', () => {
    const { find, names, findings, check } = both();
    expect(names).toEqual(['tcp', 'api-tcp']);
    expect(findings).toEqual([FINE, FINE]);
    expect(find.mock.calls).toEqual([
      [check, 'tokenUrl'],
      [check, 'baseUrl'],
    ]);
  });

  it('is done once if both have the same host and port', () => {
    const { find, findings, check } = both(at('https://one.example/token', 'https://one.example/v1'));
    expect(findings).toEqual([
      FINE,
      {
        status: 'skipped',
        detail: 'the API has the same host and port as the token URL: already checked',
      },
    ]);
    expect(find.mock.calls).toEqual([[check, 'tokenUrl']]);
  });

  it('is done twice if only the ports differ', () => {
    expect(both(at('https://one.example/token', 'https://one.example:8443/v1')).findings).toEqual([
      FINE,
      FINE,
    ]);
  });
});
