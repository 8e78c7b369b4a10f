import { rootCertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { http2OptionsWith } from '../../../../lib/http/adapter/http2-tls.js';
import { ClientTls } from '../../../../lib/net/client-tls.js';

interface SecureOptions {
  readonly secureContext: object;
  readonly mark: symbol;
}

describe('S9: the settings of a request over HTTP/2', () => {
  it.each([
    ['none', undefined],
    ['no object', 'text'],
    ['others', { settings: { maxConcurrentStreams: 5 } }],
    ['certificates without a value', { ca: null, cert: undefined }],
  ])('S9: use the tls of the pair if the caller sets %s, and keep what the caller set', (_, given) => {
    const tls = new ClientTls({});
    expect(http2OptionsWith(tls, given)).toEqual({
      ...(typeof given === 'object' && given),
      secureContext: tls.secureContext(),
      mark: expect.any(Symbol),
    });
  });

  it.each(['cert', 'key', 'pfx', 'secureContext'])(
    'S9: are those of the caller only, if they name %s',
    (name) => {
      const given = { [name]: 'own' };
      expect(http2OptionsWith(new ClientTls({}), given)).toBe(given);
    },
  );

  it('S9: have the authorities of the pair beside a certificate of the caller, and the reverse', () => {
    const [ca = '', other = ''] = rootCertificates;
    const tls = new ClientTls({ ca });
    expect(http2OptionsWith(tls, { cert: 'own' })).toEqual({ cert: 'own', ca });
    expect(http2OptionsWith(tls, { cert: 'own', ca: other })).toEqual({ cert: 'own', ca: other });
    const ofBoth = { ca: other, mark: expect.any(Symbol), secureContext: expect.anything() };
    expect(http2OptionsWith(tls, { ca: other })).toEqual(ofBoth);
  });

  it('S9: are equal for requests of one pair, so that they share a connection, and for no two pairs', () => {
    const [one, other] = [new ClientTls({}), new ClientTls({})] as const;
    expect(isDeepStrictEqual(http2OptionsWith(one, {}), http2OptionsWith(one, {}))).toBe(true);
    expect(isDeepStrictEqual(http2OptionsWith(one, {}), http2OptionsWith(other, {}))).toBe(false);
  });

  it('B34: are other ones after a change of the certificates, also with authorities of the caller', async () => {
    const [ca = '', own = ''] = rootCertificates;
    const source = {
      pair: { interface: 'easy', environment: 'sandbox' },
      cert: 'CERT_FILE',
      read: () => Promise.resolve(new ClientTls({ ca })),
    };
    const tls = new ClientTls({}, source, undefined, { warn: () => {}, log: () => {} });
    const all = () => [http2OptionsWith(tls, {}), http2OptionsWith(tls, { ca: own })] as SecureOptions[];
    const before = all();
    expect(all().map(({ secureContext }) => secureContext)).toEqual(before.map((one) => one.secureContext));
    await tls.readAgainSince(tls.version);
    for (const [index, { secureContext, mark }] of all().entries()) {
      expect(secureContext).not.toBe(before[index]?.secureContext);
      expect(mark).not.toBe(before[index]?.mark);
    }
  });
});
