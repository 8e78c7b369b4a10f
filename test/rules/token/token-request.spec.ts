import { describe, expect, it } from 'vitest';
import { ALL_PAIRS } from '../../support/application/simulator.js';
import { SteeredSecret } from '../../support/token/token-fixtures.js';
import { TokenTrial } from '../../support/token/token-trial.js';

describe('the token request', () => {
  it.each(ALL_PAIRS)('S1 S2: of %s %s is one POST by the document', async (name, environment) => {
    const trial = await TokenTrial.start({ pair: [name, environment] });
    await trial.ask();
    const { clientId, clientSecret } = trial.provider.credentials(name, environment);
    const [request, ...others] = trial.provider.tokenRequests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: 'POST',
      path: new URL(trial.provider.tokenUrl(name, environment)).pathname,
    });
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers['content-length']).toBe(String(request?.body.length));
    expect(request?.headers.authorization).toBeUndefined();
    expect([...new URLSearchParams(request?.body.toString())]).toEqual([
      ['grant_type', 'client_credentials'],
      ['client_id', clientId],
      ['client_secret', clientSecret],
    ]);
  });

  it.each(['a&b=c', 'a+b c', '100%25', 'ünïcödé 秘密 🔑', '=&=&', '\'"\\/<>', 'in  ner'])(
    'S2: encodes the secret %j so that the server reads it back',
    async (secret) => {
      const trial = await TokenTrial.start();
      trial.provider.rotateSecret('easy', 'sandbox', secret);
      const tokens = await trial.another({
        profile: (profile) => ({ ...profile, clientSecret: new SteeredSecret(secret) }),
      });
      const { error } = await trial.ask(tokens);
      expect(error).toBeUndefined();
      expect(trial.provider.tokenRequests[0]?.fields).toMatchObject({ client_secret: secret });
      expect(Object.keys(trial.provider.tokenRequests[0]?.fields ?? {})).toHaveLength(3);
    },
  );

  it('S1: keeps a query of the token URL', async () => {
    const trial = await TokenTrial.start({
      profile: (profile) => ({ ...profile, tokenUrl: `${profile.tokenUrl}?tenant=7&x=%20` }),
    });
    expect((await trial.ask()).error).toBeUndefined();
    expect(trial.provider.tokenRequests[0]?.path).toMatch(/\?tenant=7&x=%20$/);
  });

  it('S11: counts the life from before the request left', async () => {
    const trial = await TokenTrial.start({ simulator: { latencyMs: 200, lifetimeSeconds: 60 } });
    const before = Date.now();
    const { token } = await trial.ask();
    const [request] = trial.provider.tokenRequests;
    const expiresAt = token?.expiresAt.getTime() ?? 0;
    expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(expiresAt).toBeLessThanOrEqual((request?.at.getTime() ?? 0) + 60_000);
  });

  it('S3: a token need not be a JWT', async () => {
    const trial = await TokenTrial.start();
    trial.provider.token.members({ access_token: 'opaque-4711' });
    expect((await trial.ask()).token?.reveal()).toBe('opaque-4711');
  });
});
