import type { AxiosResponse } from 'axios';
import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TokenRequestError } from '../../../lib/index.js';
import type { Pair, RegisteredClient } from '../../support/authorization-servers/authorization-server.js';
import { ForeignTrial } from '../../support/authorization-servers/foreign-trial.js';
import { OidcProvider } from '../../support/authorization-servers/oidc-provider.js';
import { ALL_PAIRS } from '../../support/application/simulator.js';

/** Characters that careless encoding breaks. oidc-provider follows RFC 6749, appendix A, which allows only ASCII. */
const odd = '&=+% "\\/?#~;';

const MANY = 20;

const BOTH_INTERFACES: readonly Pair[] = [
  ['originations', 'production'],
  ['easy', 'sandbox'],
];

/** One call by the client of the application. */
function call(trial: ForeignTrial, pair: Pair, index = 0): Promise<AxiosResponse> {
  return lastValueFrom(trial.http(...pair).post(`/payments/${index}`, { index }));
}

function manyCalls(trial: ForeignTrial, pair: Pair): Promise<AxiosResponse[]> {
  return Promise.all(Array.from({ length: MANY }, (_, index) => call(trial, pair, index)));
}

/** Expects that each of many calls was served exactly once, with its own body. */
function expectAllServed(trial: ForeignTrial, pair: Pair): void {
  const served = trial.api.callsOf(trial.side(...pair).place).filter(({ status }) => status === 200);
  const bodies = served.map(({ body }) => body).toSorted();
  expect(bodies).toEqual(Array.from({ length: MANY }, (_, index) => JSON.stringify({ index })).toSorted());
}

// A JWT is valid until it expires. The server does not revoke a JWT.
describe('oidc-provider, with JWTs that the API verifies', () => {
  let server: OidcProvider;
  beforeAll(async () => {
    server = await OidcProvider.start('jwt');
    return () => server.close();
  });

  describe('a token', () => {
    it.each(ALL_PAIRS)(
      'C1 B1 S1 S2 S3: serves 20 callers of %s %s at once, with any characters in id and secret',
      async (...pair) => {
        const trial = await ForeignTrial.start(server, { odd });
        const [answer] = await manyCalls(trial, pair);
        expectAllServed(trial, pair);
        expect(await trial.seen(...pair)).toEqual({ granted: 1, refused: 0 });
        expect(new Set(trial.api.calls.map(({ token }) => token)).size).toBe(1);
        expect(trial.leaks(answer)).toEqual([]);
      },
    );

    it('S5: is accepted by its own interface and environment only', async () => {
      const trial = await ForeignTrial.start(server);
      for (const pair of ALL_PAIRS) {
        const token = (await trial.tokens(...pair).getToken()).reveal();
        const statuses = ALL_PAIRS.map(async (other) => (await trial.callWithToken(token, ...other)).status);
        expect(await Promise.all(statuses)).toEqual(ALL_PAIRS.map((other) => (other === pair ? 200 : 401)));
        expect((await trial.callWithToken(`${token}A`, ...pair)).status).toBe(401);
        expect(await trial.seen(...pair)).toEqual({ granted: 1, refused: 0 });
      }
    });

    it('S8 S11: is replaced by one other token when it has expired, for 20 callers of each interface and environment', async () => {
      const trial = await ForeignTrial.start(server, { lifetimeSeconds: 2 });
      const expired = async (pair: Pair): Promise<void> => {
        const { authority, client } = trial.side(...pair);
        const first = await trial.tokens(...pair).getToken();
        await vi.waitUntil(() => trial.tokens(...pair).status().state === 'expired', { timeout: 20_000 });
        // The server counts whole seconds, so it may accept the token for a moment longer.
        const refused = async () => (await trial.callWithToken(first.reveal(), ...pair)).status === 401;
        await vi.waitUntil(refused, { timeout: 20_000 });
        // The next token outlives the test, even on a slow machine.
        await authority.register({ ...client, lifetimeSeconds: 60 });
      };
      await Promise.all(ALL_PAIRS.map(expired));
      trial.api.calls.length = 0;
      for (const pair of ALL_PAIRS) {
        await manyCalls(trial, pair);
        expectAllServed(trial, pair);
        expect(await trial.seen(...pair)).toEqual({ granted: 2, refused: 0 });
      }
      expect(trial.api.calls.every(({ status }) => status === 200)).toBe(true);
    });
  });

  describe('a wrong secret', () => {
    it.each(BOTH_INTERFACES)(
      'B7 S7 S10: costs 20 callers of %s %s one request, and appears in no error',
      async (...pair) => {
        const wrong = `${odd}never-issued-4711`;
        const trial = await ForeignTrial.start(server, { odd, secretOf: () => wrong });
        const calls = Array.from({ length: MANY }, (_, index) => call(trial, pair, index));
        const reasons = (await Promise.allSettled(calls)).map((ended) =>
          ended.status === 'rejected' ? ended.reason : undefined,
        );
        const late: unknown = await call(trial, pair).catch((error: unknown) => error);
        for (const error of [...reasons, late]) {
          expect(error).toBeInstanceOf(TokenRequestError);
          expect(error).toMatchObject({ code: 'TOKEN_REJECTED', status: 401, oauthError: 'invalid_client' });
        }
        expect(await trial.seen(...pair)).toEqual({ granted: 0, refused: 1 });
        expect(trial.api.calls).toEqual([]);
        expect(trial.leaks([reasons[0], late], { wrong })).toEqual([]);
      },
    );
  });

  describe('a secret that is rotated while the application runs', () => {
    it.each(BOTH_INTERFACES)('B8: reaches %s %s through a function', async (...pair) => {
      let rotated: string | undefined;
      const secretOf = (client: RegisteredClient) => () => rotated ?? client.clientSecret;
      const trial = await ForeignTrial.start(server, { odd, secretOf });
      await call(trial, pair);
      rotated = await trial.rotate(...pair);
      const tokens = trial.tokens(...pair);
      await tokens.renew(await tokens.getToken());
      await call(trial, pair);
      expect(await trial.seen(...pair)).toEqual({ granted: 2, refused: 0 });
      expect(new Set(trial.api.calls.map(({ token }) => token)).size).toBe(2);
    });
  });
});

describe('oidc-provider, with tokens that the API introspects', () => {
  let server: OidcProvider;
  beforeAll(async () => {
    server = await OidcProvider.start('opaque');
    return () => server.close();
  });

  it.each(BOTH_INTERFACES)(
    'B2 B4 C3: a revoked token is renewed once for 20 callers of %s %s, who all succeed',
    async (...pair) => {
      const trial = await ForeignTrial.start(server, { odd });
      const { authority, client, place } = trial.side(...pair);
      const tokens = trial.tokens(...pair);
      const first = (await tokens.getToken()).reveal();
      expect((await trial.callWithToken(first, ...pair)).status).toBe(200);
      await authority.revoke(first, client);
      expect((await trial.callWithToken(first, ...pair)).status).toBe(401);
      trial.api.calls.length = 0;

      const [answer] = await manyCalls(trial, pair);
      expectAllServed(trial, pair);
      expect(await trial.seen(...pair)).toEqual({ granted: 2, refused: 0 });
      const refused = trial.api.callsOf(place).filter(({ status }) => status === 401);
      expect(refused.length).toBeGreaterThan(1);
      expect(new Set(refused.map(({ token }) => token))).toEqual(new Set([first]));
      expect(trial.leaks(answer)).toEqual([]);
    },
  );
});
