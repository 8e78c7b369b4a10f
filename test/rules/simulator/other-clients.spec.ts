import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ALL_PAIRS, formOf, startSimulatorWithCaFile } from '../../support/application/simulator.js';

const run = promisify(execFile);

it('S3: openid-client gets a token for each interface and environment', async () => {
  const { provider, caFile } = await startSimulatorWithCaFile({ lifetimeSeconds: 77 });
  const text = `
      import * as client from 'openid-client';
      const answers = [];
      for (const [issuer, tokenUrl, id, secret] of JSON.parse(process.env.CASES)) {
        const server = { issuer, token_endpoint: tokenUrl };
        const ask = (password) =>
          client.clientCredentialsGrant(new client.Configuration(server, id, password, client.ClientSecretPost()));
        const refusal = await ask('wrong').catch((error) => error);
        answers.push({ granted: await ask(secret), refused: refusal.status, challenges: refusal.cause });
      }
      console.log(JSON.stringify(answers));
    `;
  const cases = ALL_PAIRS.map((pair) => {
    const { client_id: id, client_secret: secret } = formOf(provider, ...pair);
    return [provider.origin, provider.tokenUrl(...pair), id, secret];
  });
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: new URL('../../../', import.meta.url),
    env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile, CASES: JSON.stringify(cases) },
  });
  const issued = provider.tokenRequests.flatMap(({ token }) => (token === undefined ? [] : [token]));
  expect(JSON.parse(stdout)).toEqual(
    issued.map((token) => ({
      granted: { access_token: token, token_type: 'bearer', expires_in: 77 },
      refused: 401,
      challenges: [expect.objectContaining({ scheme: 'basic' })],
    })),
  );
  expect(issued).toHaveLength(ALL_PAIRS.length);
});
