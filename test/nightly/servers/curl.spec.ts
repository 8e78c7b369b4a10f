import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProviderSimulator } from '../../../lib/testing/index.js';
import { formOf, startSimulatorWithCaFile } from '../../support/application/simulator.js';

const run = promisify(execFile);

let provider: ProviderSimulator;
let caFile: string;

beforeEach(async () => {
  ({ provider, caFile } = await startSimulatorWithCaFile({ lifetimeSeconds: 77 }));
});

async function curl(...args: string[]): Promise<string> {
  const { stdout } = await run('curl', [
    '--silent',
    '--show-error',
    '--noproxy',
    '*',
    '--cacert',
    caFile,
    ...args,
  ]);
  return stdout;
}

describe('curl', () => {
  it('S3: gets a token and uses it', async () => {
    const fields = Object.entries(formOf(provider, 'originations', 'production'));
    const answer = await curl(
      provider.tokenUrl('originations', 'production'),
      ...fields.flatMap(([field, value]) => ['--data-urlencode', `${field}=${value}`]),
    );
    const { access_token: token, ...rest } = JSON.parse(answer);
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 77 });
    const used = await curl(
      `${provider.baseUrl('originations', 'production').replace('127.0.0.1', 'localhost')}/loans`,
      '--header',
      `Authorization: Bearer ${token}`,
    );
    expect(JSON.parse(used)).toMatchObject({
      interface: 'originations',
      environment: 'production',
      path: '/loans',
    });
  });

  it('S9: does not trust the simulator without its authority, and gets nothing over plain HTTP', async () => {
    const url = provider.tokenUrl('easy', 'sandbox');
    await expect(run('curl', ['--silent', '--noproxy', '*', url])).rejects.toMatchObject({ code: 60 });
    await expect(
      run('curl', ['--silent', '--noproxy', '*', url.replace('https:', 'http:')]),
    ).rejects.toMatchObject({ code: expect.toBeOneOf([52, 56]) });
  });
});
