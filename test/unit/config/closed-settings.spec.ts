import { Agent } from 'node:https';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { validateOptions } from '../../support/application/built-in.js';
import { optionsWith } from '../../support/secrets/config-canaries.js';

const settingsOf = () =>
  validateOptions(
    optionsWith({
      'http.headers.x-api-key': 'canary',
      'http.proxy': { host: 'proxy', port: 1, auth: { username: 'canary', password: 'canary' } },
      'http.httpsAgent': new Agent(),
    }),
    {},
  );

it('S10: HTTP settings show only their plain members in any output', async () => {
  const { http } = await settingsOf();
  const shown = { timeoutMs: 30_000, retryUnauthorized: true, maxRedirects: 0 };
  expect(inspect(http)).toBe(inspect(shown));
  expect(inspect(http, { getters: true, showHidden: true })).toBe(inspect(shown));
  expect(JSON.parse(JSON.stringify(http))).toEqual(shown);
});

it('C4: validated settings cannot be changed', async () => {
  const settings = await settingsOf();
  const { token, http, profiles } = settings;
  const parts = [settings, token, http, profiles, ...profiles, http.headers, http.proxy];
  expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
  expect(http.proxy && Object.isFrozen(http.proxy.auth)).toBe(true);
});
