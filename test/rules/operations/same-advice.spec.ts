import { expect, it } from 'vitest';
import { readEnvironmentVariables } from '../../support/application/built-in.js';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { filesOf } from '../../support/http/client-certificates.js';
import { given } from '../../support/http/given.js';

it('B29: names the option, not the variable, if code has replaced the value of the variable', async () => {
  const { tokens } = await given()
    .app((provider) => {
      const env = { ...provider.env(), PROVIDER_EASY_SANDBOX_CA_FILE: filesOf({ ca: provider.ca }).ca };
      const read = readEnvironmentVariables(env) as ProviderAuthOptions;
      const { easy } = read.interfaces;
      const sandbox = { ...easy?.sandbox, clientSecret: 'another' } as NonNullable<typeof easy>['sandbox'];
      const interfaces = { ...read.interfaces, easy: { ...easy, sandbox } };
      return { ...read, token: { maxAttempts: 1 }, interfaces };
    })
    .start();
  await expect(tokens.getToken()).rejects.toThrow(
    'Check PROVIDER_EASY_SANDBOX_CLIENT_ID and interfaces.easy.sandbox.clientSecret: ',
  );
});
