import { describe, expect, it } from 'vitest';
import { readEnvironmentVariables, validateOptions } from '../../support/application/built-in.js';
import { ALL_PAIRS, askForToken, startSimulator } from '../../support/application/simulator.js';

describe('the settings that the simulator returns', () => {
  it('C4: are complete, as options and as variables', async () => {
    const provider = await startSimulator({ environment: 'production' });
    const wanted = ALL_PAIRS.map(([name, environment]) => ({
      interface: name,
      environment,
      active: environment === 'production',
      tokenUrl: provider.tokenUrl(name, environment),
      baseUrl: provider.baseUrl(name, environment),
      ...provider.credentials(name, environment),
    }));
    for (const options of [provider.options(), readEnvironmentVariables(provider.env())]) {
      const { profiles } = await validateOptions(options);
      const given = profiles.map(async ({ clientId, clientSecret, ...rest }) => {
        const secret = await clientSecret.read();
        return { ...rest, clientId: clientId?.reveal(), clientSecret: secret.reveal() };
      });
      expect(await Promise.all(given)).toEqual(
        expect.arrayContaining(wanted.map((pair) => expect.objectContaining(pair) as unknown)),
      );
    }
  });

  it('B8: contain the new secret after a rotation', async () => {
    const provider = await startSimulator();
    const secret = provider.rotateSecret('easy', 'production');
    expect(provider.env()).toMatchObject({ PROVIDER_EASY_PRODUCTION_CLIENT_SECRET: secret });
  });
});

describe('the certificate of the simulator', () => {
  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', /SELF_SIGNED/],
  ] as const)('B13: is refused by every client when it is %s', async (certificate, code) => {
    const provider = await startSimulator({ certificate });
    await expect(askForToken(provider)).rejects.toMatchObject({ code: expect.stringMatching(code) });
    expect(provider.tokenRequests).toEqual([]);
  });

  it.each(['localhost', '127.0.0.1'])('S9: is valid for %s', async (host) => {
    const provider = await startSimulator();
    const url = new URL(provider.tokenUrl('easy', 'sandbox'));
    url.hostname = host;
    const { status } = await askForToken(provider, 'easy', 'sandbox', { url: url.href });
    expect(status).toBe(200);
  });
});
