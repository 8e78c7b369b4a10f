import { describe, expect, it } from 'vitest';
import {
  acceptsAnyCertificate,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../../../lib/net/certificate-checks.js';

const agentWith = (place: string, rejectUnauthorized: unknown): object => ({
  [place]: { rejectUnauthorized },
});

describe('S9: the certificate checks of an agent', () => {
  it.each(['options', 'connectOpts', 'proxyOptions'])(
    'are off if rejectUnauthorized is false in its %s',
    (place) => {
      const accepts = [false, true, undefined].map((value) => acceptsAnyCertificate(agentWith(place, value)));
      expect(accepts).toEqual([true, false, false]);
      expect(acceptsAnyCertificate({ [place]: null })).toBe(false);
    },
  );

  // An agent of https-proxy-agent 7 has `connectOpts`, and connects to the server without them.
  it.each([
    ['options', [false, true, false]],
    ['connectOpts', [false, false, false]],
    ['proxyOptions', [false, false, false]],
  ])('are on for the server only by its options, not by its %s', (place, expected) => {
    const insists = [false, true, undefined].map((value) => insistsOnCertificates(agentWith(place, value)));
    expect(insists).toEqual(expected);
  });

  it('are neither on nor off for a value that is no agent', () => {
    for (const agent of [undefined, null, 'agent', () => {}])
      expect([acceptsAnyCertificate(agent), insistsOnCertificates(agent)]).toEqual([false, false]);
  });

  it('S10: are not on for an agent whose properties throw, and the error goes nowhere', () => {
    const agent = new Proxy(
      {},
      {
        get() {
          throw new Error('canary');
        },
      },
    );
    expect(insistsOnCertificates(agent)).toBe(false);
  });
});

describe('S9: NODE_TLS_REJECT_UNAUTHORIZED', () => {
  it.each([
    ['0', true],
    ['1', false],
    ['', false],
    [undefined, false],
  ])('%j leaves certificates unchecked: %s', (value, unchecked) => {
    expect(leavesCertificatesUnchecked({ NODE_TLS_REJECT_UNAUTHORIZED: value })).toBe(unchecked);
  });
});
