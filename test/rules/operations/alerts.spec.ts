import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { ConnectProxy } from '../../support/http/connect-proxy.js';
import { given, type RunningApp } from '../../support/http/given.js';
import { OperatedApp, type PinoLine, type Sample } from '../../support/application/operated-app.js';
import { LABELS_OF_PROMETHEUS } from '../../support/application/prometheus.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';
import { ROOT } from '../../support/package/packed-package.js';
import { errorOf } from '../../support/token/token-fixtures.js';

/** `test/nightly/servers/alerts.spec.ts` runs the rules and the query of this page in a real Prometheus and in jq. */
const PAGE = 'docs/alerts.md';
const page = await readFile(join(ROOT, PAGE), 'utf8');
const blocks = new Map((await codeBlocksOf(PAGE)).map(({ name, text }) => [name, text]));

function shown(name: string): string {
  const text = blocks.get(name);
  if (text === undefined) throw new Error(`${PAGE} has no block ${name}.`);
  return text;
}

/** The cells of the table about easy sandbox: what is seen, then before, during and after the outage. */
const rows = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .filter((cells) => cells.length === 6 && !/^(-+|easy sandbox)$/.test(cells[1] ?? ''))
  .map(([, what = '', ...cells]) => ({ what, cells: cells.slice(0, 3) }));

/** What an operator sees at one moment. */
interface Look {
  readonly health: Awaited<ReturnType<OperatedApp['health']>>;
  readonly samples: readonly Sample[];
  readonly lines: number;
}

async function lookAt(app: OperatedApp): Promise<Look> {
  return { health: await app.health(), samples: await app.samples(), lines: app.lines().length };
}

/** The outage of the page: a valid token, an endpoint that fails, a revoked token, and the end of the outage. */
async function playOutage(): Promise<{ app: OperatedApp; looks: readonly Look[] }> {
  const app = await OperatedApp.start();
  for (let calls = 0; calls < 3; calls += 1) expect(await app.payment()).toBe(200);
  const before = await lookAt(app);
  app.provider.token.status(503);
  expect(await app.payment()).toBe(200);
  app.provider.token.revokeAll();
  // The first caller gets the 401 of the API, which this application does not handle. The next one gets our error.
  expect([await app.payment(), await app.payment()]).toEqual([500, 503]);
  const during = await lookAt(app);
  app.provider.token.regular();
  await vi.waitFor(async () => expect(await app.payment()).toBe(200), { timeout: 30_000, interval: 50 });
  return { app, looks: [before, during, await lookAt(app)] };
}

/** The sum of the samples that a selector such as `name{label="value"}` selects for easy sandbox. */
function sumOf(samples: readonly Sample[], selector: string): number {
  const [name = ''] = selector.split('{');
  const wanted = [...selector.matchAll(/(\w+)(!?=)"(\w+)"/g)];
  return samples
    .filter(({ labels }) => labels['interface'] === 'easy' && labels['environment'] === 'sandbox')
    .filter((sample) => sample.name === name)
    .filter(({ labels }) =>
      wanted.every(([, label = '', operator, value]) => (labels[label] === value) === (operator === '=')),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

it('B29: the table of the page is what health, metrics and log show before, during and after a real outage', async () => {
  const { looks } = await playOutage();
  const seen = rows.map(({ what, cells }) => {
    const [before = '', during = '', after = ''] = looks.map((look) => seenIn(look, what));
    if (!cells.includes('rises')) return { what, cells: [before, during, after] };
    const rises = Number(during) > Number(before) ? 'rises' : during;
    return { what, cells: [before, rises, after === during ? 'stays' : after] };
  });
  expect(rows.length).toBeGreaterThan(5);
  expect(seen).toEqual(rows);
});

/** What the application shows for a row of the table. */
function seenIn({ health, samples, lines }: Look, what: string): string {
  if (what.includes('/health'))
    return `${health.status}, ${(health.provider['easy'] as { state: string }).state}`;
  return String(what === 'lines in the log' ? lines : sumOf(samples, what));
}

/** The metrics and labels that a rule uses and that these samples do not have. */
function missingFrom(samples: readonly Sample[], rule: string): string[] {
  const namesOf = (pattern: RegExp): string[] =>
    [...rule.matchAll(pattern)].flatMap(([, names = '']) => names.split(', '));
  const everywhere = [...namesOf(/\b(?:by|on) \(([^)]*)\)/g), ...namesOf(/\$labels\.(\w+)/g)].filter(
    (label) => !LABELS_OF_PROMETHEUS.includes(label),
  );
  return [...new Set(namesOf(/\b(provider_auth_\w+)/g))].flatMap((metric) => {
    const labels = [...everywhere, ...namesOf(new RegExp(`${metric}\\{(\\w+)`, 'g'))];
    const ofMetric = samples.filter(({ name }) => name === metric);
    if (ofMetric.length === 0) return [metric];
    return labels.filter((label) => ofMetric.some((sample) => !(label in sample.labels)));
  });
}

it('B29: the alert rules of the page use only metrics and labels that a real outage exports', async () => {
  const { looks } = await playOutage();
  const rules = shown('alert-rules').split('- alert: ').slice(1);
  expect(rules).toHaveLength(3);
  expect(rules.map((rule) => missingFrom(looks[1]?.samples ?? [], rule))).toEqual([[], [], []]);
  // The check itself finds what is missing.
  expect(missingFrom([], 'provider_auth_typo')).toEqual(['provider_auth_typo']);
  const typo = 'sum by (job, interfaces) (provider_auth_provider_failing{outcomes="ok"})';
  expect(missingFrom(looks[1]?.samples ?? [], typo)).toEqual(['interfaces', 'outcomes']);
});

it('B29: the alert rules of the page separate an API that refuses every token from an API that refused one token', async () => {
  const share = async (app: OperatedApp): Promise<number> => {
    const samples = await app.samples();
    const refused = sumOf(samples, 'provider_auth_http_unauthorized_total{outcome!="recovered"}');
    return refused / sumOf(samples, 'provider_auth_token_cache_total');
  };
  const refusing = shown('alert-rules').match(/provider_auth_http_unauthorized_total\{[^}]*\}/)?.[0];
  expect(refusing).toBe('provider_auth_http_unauthorized_total{outcome!="recovered"}');
  const limit = Number(/> (0\.\d+)$/m.exec(shown('alert-rules'))?.[1]);

  const app = await OperatedApp.start();
  for (let calls = 0; calls < 5; calls += 1) {
    app.provider.token.revokeAll();
    expect(await app.payment()).toBe(200);
  }
  expect(await share(app)).toBe(0);

  app.provider.api.unauthorized();
  for (let calls = 0; calls < 10; calls += 1) expect(await app.payment()).toBe(500);
  expect(await share(app)).toBeGreaterThan(limit * 2);
  // The other rule does not notice this, and neither does health.
  expect(sumOf(await app.samples(), 'provider_auth_provider_failing')).toBe(0);
  expect(await app.health()).toMatchObject({ status: 200 });
  expect(foundBy(app.log)).toEqual([{ code: 'RENEWALS_PAUSED', about: new URL(app.provider.origin).host }]);
});

/** What the query of the page finds in a log. jq and JavaScript read this regular expression alike. */
function foundBy(log: readonly (string | { context?: string | undefined; msg: string })[]): unknown[] {
  const query = shown('log-query');
  const [, context] = /select\(\.context == "(\w+)"\)/.exec(query) ?? [];
  const [, quoted = ''] = /capture\(("[^"]+")\)/.exec(query) ?? [];
  const pattern = new RegExp(JSON.parse(quoted) as string);
  return log
    .map((line) => (typeof line === 'string' ? (JSON.parse(line) as PinoLine) : line))
    .filter((line) => line.context === context)
    .flatMap(({ msg }) => {
      const groups = pattern.exec(msg)?.groups;
      return groups ? [{ code: groups['code'], about: groups['about'] }] : [];
    });
}

function closedVault(): never {
  throw new Error('The vault is closed.');
}

/** Nest adds a stack to an error, here none. */
function linesOf({ logs }: RunningApp): { context: string | undefined; msg: string }[] {
  return logs.lines.map(({ context, text }) => ({ context, msg: text.replace(/ undefined$/, '') }));
}

describe('the log lines of the page', () => {
  it('B29: B35: are the lines of pino in a real outage, and the query finds the code and the host of both', async () => {
    const { app } = await playOutage();
    const { host } = new URL(app.provider.origin);
    const lines = app.log.filter((line) => line.includes('"ProviderAuth"') && !line.includes(' is active ('));
    const comparable = (log: string): string =>
      log
        .replaceAll(/"time":\d{13}/g, '"time":0')
        .replaceAll(host, 'sandbox.provider.example')
        .trim();
    expect(comparable(lines.join(''))).toBe(comparable(shown('log-lines')));
    expect(foundBy(app.log)).toEqual([
      { code: 'TOKEN_UNAVAILABLE', about: host },
      { code: 'TOKENS_RECOVERED', about: host },
    ]);
  });

  it('B29: about a store, a secret, an account, a proxy and a body are found by the query too', async () => {
    const store = new MemoryTokenStore();
    vi.spyOn(store, 'claim').mockRejectedValue(new Error('ECONNREFUSED'));
    const ofStore = await given().app({ store }).start();
    await ofStore.tokens.getToken();
    expect(foundBy(linesOf(ofStore))).toEqual([{ code: 'STORE_FAILING', about: undefined }]);

    const ofSecret = await given()
      .app((provider) => {
        const { interfaces, ...options } = provider.options();
        return {
          ...options,
          interfaces: { easy: { sandbox: { ...interfaces.easy!.sandbox!, clientSecret: closedVault } } },
        };
      })
      .start();
    await errorOf(ofSecret.tokens.getToken());
    expect(foundBy(linesOf(ofSecret))).toEqual([
      {
        code: 'TOKEN_UNAVAILABLE',
        about: `interfaces.easy.sandbox.clientSecret, ${new URL(ofSecret.provider.origin).host}`,
      },
    ]);

    const ofAccount = await given()
      .app((provider) => provider.options({ accounts: () => undefined }))
      .start();
    await errorOf(ofAccount.tokens.for({ account: 'm1' }).getToken());
    expect(foundBy(linesOf(ofAccount))).toEqual([
      { code: 'ACCOUNT_UNKNOWN', about: `accounts, ${new URL(ofAccount.provider.origin).host}` },
    ]);

    const proxy = await ConnectProxy.start('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const ofProxy = await given()
      .app((provider) => provider.options({ http: { ...provider.options().http, proxy: proxy.setting } }))
      .start();
    await errorOf(ofProxy.tokens.getToken());
    const { host } = new URL(ofProxy.provider.origin);
    expect(foundBy(linesOf(ofProxy))).toEqual([
      { code: 'TOKEN_UNAVAILABLE', about: `${host} by the proxy 127.0.0.1:${proxy.port}` },
    ]);

    const ofBody = await given().app().start();
    ofBody.provider.api.next().unauthorized();
    await errorOf(ofBody.easy.axiosRef.post('/payments', Readable.from(['once'])));
    // The renewal for the next call must not log in the next test.
    await ofBody.tokens.getToken();
    expect(foundBy(linesOf(ofBody))).toEqual([
      { code: 'BODY_NOT_REPLAYABLE', about: new URL(ofBody.provider.origin).host },
    ]);
  });
});

it('B29: a test runs each block of the page', () => {
  // `manual-recipes.spec.ts` runs the logger.
  const names = ['alert-rules', 'json-logger', 'log-query', 'log-query-output', 'log-lines'];
  expect([...blocks.keys()]).toEqual(names);
});
