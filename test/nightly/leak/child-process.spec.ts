import { describe, expect, it } from 'vitest';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { runSource } from '../../support/run/run-source.js';

/** A process that makes a call and crashes because the call fails. On one separate line it prints all that must not leak. */
function crashing(script: string, call: string): string {
  return `
    import { NestFactory } from '@nestjs/core';
    import axios from 'axios';
    import { EasyHttpService, getTokenProviderToken, ProviderAuthModule } from './lib/index.ts';
    import { ProviderSimulator } from './lib/testing/index.ts';
    const provider = await ProviderSimulator.start();
    ${script}
    const app = await NestFactory.createApplicationContext(
      ProviderAuthModule.forRoot(provider.options({ token: { maxAttempts: 1 } })),
      { abortOnError: false },
    );
    const easy = app.get(EasyHttpService);
    process.on('exit', () => {
      const { clientId, clientSecret } = provider.credentials('easy', 'sandbox');
      const tokens = provider.tokenRequests.map(({ token }) => token);
      console.log('CANARIES ' + JSON.stringify([clientId, clientSecret, ...tokens]));
    });
    ${call}`;
}

async function leaksOf(source: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runSource(source, env);
  const listed = /^CANARIES (.*)$/m.exec(stdout)?.[1];
  const canaries = (JSON.parse(listed ?? '[]') as (string | null)[]).filter((one) => one !== null);
  if (canaries.length < 2) throw new Error(`The process listed no canaries: ${stderr}`);
  const output = stdout.replace(/^CANARIES .*$/m, '') + stderr;
  const scanner = new CanaryScanner(
    Object.fromEntries(canaries.map((one, index) => [`canary ${index}`, one])),
  );
  return { code, output, leaks: scanner.scanText(output) };
}

const ANSWER_500 =
  'provider.api.handler(({ headers }, response) => response.writeHead(500).end(headers.authorization));';
const ECHO_FORM = 'provider.token.handler((_, response, { body }) => response.writeHead(400).end(body));';

describe('S10: a process that crashes', () => {
  it.each([
    ['an API failure that no code caught', ANSWER_500, "void easy.axiosRef.get('/payments');", 'AxiosError'],
    [
      'an observable without an error handler',
      ANSWER_500,
      "easy.get('/payments').subscribe();",
      'AxiosError',
    ],
    [
      'a timeout',
      'provider.api.hang();',
      "void easy.axiosRef.get('/payments', { timeout: 200 });",
      'ECONNABORTED',
    ],
    ['a failed token request', ECHO_FORM, "void easy.axiosRef.get('/payments');", 'TOKEN_REJECTED'],
  ])('because of %s prints no credential', async (_, script, call, printed) => {
    const { code, output, leaks } = await leaksOf(crashing(script, call));
    expect(output).toContain(printed);
    expect(code).not.toBe(0);
    expect(output).not.toMatch(/prints the headers/);
    expect(leaks).toEqual([]);
  });

  it('because of the failure of a plain client prints credentials, which proves that the search can find a leak', async () => {
    const plainCall = `
      const token = (await app.get(getTokenProviderToken('easy')).getToken()).reveal();
      void axios.get(provider.baseUrl('easy', 'sandbox'), {
        httpsAgent: provider.httpsAgent,
        headers: { Authorization: 'Bearer ' + token },
      });`;
    const { leaks } = await leaksOf(crashing(ANSWER_500, plainCall));
    expect(leaks).not.toEqual([]);
  });
});

function warningsOf(name: string, text: string): string[] {
  return text.match(new RegExp(`${name} prints the headers of every request`, 'g')) ?? [];
}

describe('S10: an application with a variable that prints headers', () => {
  const booted = crashing('', 'await app.close(); await provider.close();');

  it('warns once at boot about NODE_DEBUG and once about DEBUG', async () => {
    const { stdout, stderr, code } = await runSource(booted, { NODE_DEBUG: 'http', DEBUG: '*' });
    expect(code).toBe(0);
    expect(warningsOf('NODE_DEBUG', stdout + stderr)).toHaveLength(1);
    expect(warningsOf('(?<!_)DEBUG', stdout + stderr)).toHaveLength(1);
  });
});
