import { expect, it, onTestFinished } from 'vitest';
import { readPage, startControlServer } from '../../../../lib/cli/simulate/control-server.js';
import { FAULTS } from '../../../../lib/cli/simulate/faults.js';
import { LiveUpdates } from '../../../../lib/cli/simulate/live-updates.js';
import { describeVerbs, TARGETS } from '../../../../lib/cli/simulate/verbs.js';
import { PAGE_FOLDER } from '../../../support/application/simulate.js';

const page = await readPage(PAGE_FOLDER);

/** A control address without a simulator. What was run, and the answer to a request. */
async function started({ port = 0, fails = false } = {}) {
  const ran: unknown[] = [];
  const run = (...given: readonly unknown[]): string => {
    ran.push(given);
    if (fails) throw new TypeError('canary');
    return 'done';
  };
  const updates = new LiveUpdates(() => ({}) as never);
  const parts = { run, updates, testCall: () => Promise.resolve(200), port, key: 'key', page };
  const { address, close } = await startControlServer(parts);
  onTestFinished(close);
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const init = { method, headers, redirect: 'manual' as const, ...(method === 'POST' && { body: '{}' }) };
    const response = await fetch(new URL(path, address), init);
    return { response, status: response.status, text: await response.text() };
  };
  return { ran, ask, port: Number(new URL(address).port) };
}

it.each<[path: string, headers: Record<string, string>, method: string, status: number, error: string]>([
  ['/key', { 'sec-fetch-site': 'cross-site' }, 'GET', 403, 'Only this machine may use this address.'],
  ['/other', {}, 'GET', 404, 'Use the address that the simulator printed: it contains a key.'],
  ['/key/token', {}, 'PUT', 405, 'Use GET or POST.'],
  ['/key/to/ken', {}, 'GET', 404, 'There is no such address. GET the control address to list the verbs.'],
  ['/key/to/ken', {}, 'POST', 404, 'POST to /token, /api, /simulator, /test-call.'],
])(
  'B25: a request that is refused says what to use: %s %j %s',
  async (path, headers, method, status, error) => {
    const { ask, ran } = await started();
    const { response, ...answer } = await ask(path, headers, method);
    expect(answer).toEqual({ status, text: `${JSON.stringify({ error }, null, 2)}\n` });
    expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, POST' : null);
    expect(ran).toEqual([]);
  },
);

it('B25: the address describes all that it takes, and each target its verbs', async () => {
  const { ask } = await started();
  expect(JSON.parse((await ask('/key')).text)).toEqual({
    use: 'POST one JSON object to <control>/token, <control>/api or <control>/simulator: choices, and one answer or action.',
    verbs: Object.fromEntries(TARGETS.map((target) => [target, describeVerbs(target)])),
    faults: FAULTS,
  });
  expect(JSON.parse((await ask('/key/token')).text)).toEqual({ verbs: describeVerbs('token') });
});

it.each([
  ['/key/', 'index.html', 'text/html; charset=utf-8'],
  ['/key/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/key/page.js', 'page.js', 'text/javascript; charset=utf-8'],
])('B25: the page is served with its headers: %s', async (path, file, type) => {
  const { ask } = await started();
  const { response, status, text } = await ask(path, {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
  });
  expect({ status, text }).toEqual({ status: 200, text: page.get(file)?.content.toString() });
  expect(text).not.toMatch(/<style|style=|onclick|<script(?! type="module" src="page.js")/);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
});

it('B25: a browser is led to the page, from a bookmark as well', async () => {
  const { ask } = await started();
  const { response, text } = await ask('/key', { accept: 'text/html', 'sec-fetch-site': 'none' });
  expect([response.status, response.headers.get('location'), text]).toEqual([308, '/key/', '']);
});

it('B25: a chain runs as one of the page, or else of the control address', async () => {
  const { ask, ran } = await started();
  for (const by of ['page', 'other']) await ask('/key/token', { 'x-provider-simulator': by }, 'POST');
  expect(ran).toEqual(['page', 'control'].map((by) => ['token', {}, by]));
});

it('B25: an error that is no mistake of the chain has no answer', async () => {
  const { ask } = await started({ fails: true });
  await expect(ask('/key/token', {}, 'POST')).rejects.toThrow('fetch failed');
});

it('B25: if its port is in use, it takes another one', async () => {
  const { port } = await started();
  expect((await started({ port })).port).not.toBe(port);
});
