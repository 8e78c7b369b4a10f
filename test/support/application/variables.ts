import { onTestFinished } from 'vitest';

/** Sets variables of this process until the test ends. */
export function setVariables(variables: NodeJS.ProcessEnv): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

/** The variables of the sandbox of easy. */
export const EASY_SANDBOX = {
  PROVIDER_ENVIRONMENT: 'sandbox',
  PROVIDER_EASY_SANDBOX_TOKEN_URL: 'https://provider.example/auth/v0/connect/token',
  PROVIDER_EASY_SANDBOX_BASE_URL: 'https://provider.example/easy',
  PROVIDER_EASY_SANDBOX_CLIENT_ID: 'an id',
  PROVIDER_EASY_SANDBOX_CLIENT_SECRET: 'a secret',
};
