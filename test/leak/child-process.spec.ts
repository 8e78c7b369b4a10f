import { describe, expect, it } from 'vitest';
import { CanaryScanner } from '../support/secrets/canary-scanner.js';
import { runSource } from '../support/run/run-source.js';

/** A process that makes a call and crashes over its failure; first it tells, on a line of its own, what must not be seen. */
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
  const told = /^CANARIES (.*)$/m.exec(stdout)?.[1];
  const canaries = (JSON.parse(told ?? '[]') as (string | null)[]).filter((one) => one !== null);
  if (canaries.length < 2) throw new Error(`The process told no canaries: ${stderr}`);
  const output = stdout.replace(/^CANARIES .*$/m, '') + stderr;
  const scanner = new CanaryScanner(
    Object.fromEntries(canaries.map((one, index) => [`canary ${index}`, one])),
  );
  return { code, output, leaks: scanner.scanText(output) };
}

const ANSWER_500 =
  'provider.api.handler(({ headers }, response) => response.writeHead(500).end(headers.authorization));';
const TELL_FORM = 'provider.token.handler((_, response, { body }) => response.writeHead(400).end(body));';

describe('S10: a process that crashes', () => {
  it.each([
    ['an API failure nobody caught', ANSWER_500, "void easy.axiosRef.get('/payments');", 'AxiosError'],
    ['an observable nobody listened to', ANSWER_500, "easy.get('/payments').subscribe();", 'AxiosError'],
    [
      'a timeout',
      'provider.api.hang();',
      "void easy.axiosRef.get('/payments', { timeout: 200 });",
      'ECONNABORTED',
    ],
    ['a token request that failed', TELL_FORM, "void easy.axiosRef.get('/payments');", 'TOKEN_REJECTED'],
  ])('over %s prints no credential', async (_, script, call, printed) => {
    const { code, output, leaks } = await leaksOf(crashing(script, call));
    expect(output).toContain(printed);
    expect(code).not.toBe(0);
    expect(output).not.toMatch(/prints the headers/);
    expect(leaks).toEqual([]);
  });

  it('over the failure of a plain client prints them, to prove that these eyes see', async () => {
    const plainly = `
      const token = (await app.get(getTokenProviderToken('easy')).getToken()).reveal();
      void axios.get(provider.baseUrl('easy', 'sandbox'), {
        httpsAgent: provider.httpsAgent,
        headers: { Authorization: 'Bearer ' + token },
      });`;
    const { leaks } = await leaksOf(crashing(ANSWER_500, plainly));
    expect(leaks).not.toEqual([]);
  });
});

function warningsOf(name: string, text: string): string[] {
  return text.match(new RegExp(`${name} prints the headers of every request`, 'g')) ?? [];
}

describe('S10: an application that is told to print headers', () => {
  const booted = crashing('', 'await app.close(); await provider.close();');

  it('by NODE_DEBUG and by DEBUG warns of each at boot, once', async () => {
    const { stdout, stderr, code } = await runSource(booted, { NODE_DEBUG: 'http', DEBUG: '*' });
    expect(code).toBe(0);
    expect(warningsOf('NODE_DEBUG', stdout + stderr)).toHaveLength(1);
    expect(warningsOf('(?<!_)DEBUG', stdout + stderr)).toHaveLength(1);
  });
});
