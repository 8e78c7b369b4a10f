import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MemoryTokenStore } from '../../../lib/testing/index.js';
import { OperatedApp } from '../../support/application/operated-app.js';
import { Prometheus } from '../../support/application/prometheus.js';
import { shownOn } from '../../support/package/code-blocks.js';
import { ROOT } from '../../support/package/packed-package.js';
import { givenFolder } from '../../support/run/given-folder.js';
import { runCommand } from '../../support/run/run-command.js';

const shown = await shownOn('docs/alerts.md');

/** Prometheus starts and scrapes. */
const SOON = { timeout: 60_000, interval: 100 };

describe('the alert rules of the page, in a real Prometheus', () => {
  beforeAll(() => Prometheus.unpack(), 300_000);

  it('B29: are correct for promtool', async () => {
    const { code, output } = await Prometheus.check(shown('alert-rules'));
    expect(output).toContain('SUCCESS: 3 rules found');
    expect(code).toBe(0);
  });

  it.each([
    ['does not fire for the one failed call of an idle process', '1x7 2x60', false],
    ['fires for a process of which each call fails', '0+5x67', true],
  ])('B35: ProviderApiFailing %s, while another process works', async (_, calls, fires) => {
    const pair = 'provider="provider",interface="easy",environment="sandbox"';
    const seriesOf = (instance: string, failing: string, lookups: string): object[] => [
      { series: `provider_auth_api_failing{job="shop",instance="${instance}",${pair}}`, values: failing },
      {
        series: `provider_auth_token_cache_total{job="shop",instance="${instance}",${pair},result="memory"}`,
        values: lookups,
      },
    ];
    const firing = `ALERTS{alertname="ProviderApiFailing",alertstate="firing",job="shop",provider="provider",interface="easy",environment="sandbox",severity="page"}`;
    const { code, output } = await Prometheus.test(shown('alert-rules'), {
      interval: '15s',
      input_series: [...seriesOf('failing', '0x7 1x60', calls), ...seriesOf('working', '0x67', '0+5x67')],
      promql_expr_test: ['3m', '8m', '12m'].map((time) => ({
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: time,
        exp_samples: fires && time !== '3m' ? [{ labels: firing, value: 1 }] : [],
      })),
    });
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });
});

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** The queries of the dashboard, as Grafana sends them when all jobs are selected. */
async function queriesOfDashboard(): Promise<{ panel: string; expression: string; labels: string[] }[]> {
  const text = await readFile(join(ROOT, 'docs/grafana-dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: Panel[] };
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      panel: title,
      expression: expr.replaceAll('$job', '.+').replaceAll('$__rate_interval', '10s'),
      labels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  );
}

const CERTIFICATES = 'Client certificates end in';

describe('the dashboard of the page, in a real Prometheus', () => {
  beforeAll(() => Prometheus.unpack(), 300_000);

  it('B29: has data in each panel, with the labels of its legend', async () => {
    const app = await OperatedApp.start({ store: new MemoryTokenStore() });
    const prometheus = await Prometheus.watch(app.origin, shown('alert-rules'));
    app.serveCustomers(50);
    // Each metric needs data: calls that recover from a 401, and calls whose new token is refused as well.
    const refusing = setInterval(() => {
      app.provider.token.revokeAll();
      app.provider.api.next(2).unauthorized();
    }, 500);
    onTestFinished(() => clearInterval(refusing));
    const queries = (await queriesOfDashboard()).filter(({ panel }) => panel !== CERTIFICATES);
    expect(queries).toHaveLength(11);
    await vi.waitFor(async () => {
      for (const { panel, expression, labels } of queries) {
        const found = await prometheus.query(expression);
        const missing = labels.filter((label) => !found.every(({ metric }) => label in metric));
        const numbers = found.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
        expect({ panel, hasData: numbers.length > 0, missing }).toEqual({
          panel,
          hasData: true,
          missing: [],
        });
      }
    }, SOON);
  }, 240_000);

  // Prometheus' own exporters add the unit to a name, and that of OpenTelemetry's packages for Node does not.
  it.each(['', '_seconds'])(
    'B34: shows the client certificate that ends first, with the suffix %j',
    async (suffix) => {
      const queries = (await queriesOfDashboard()).filter(({ panel }) => panel === CERTIFICATES);
      const name = `${'provider_auth.certificate.remaining'.replaceAll('.', '_')}${suffix}`;
      const pair = 'provider="provider",interface="easy",environment="sandbox"';
      const { code, output } = await Prometheus.test(shown('alert-rules'), {
        interval: '15s',
        input_series: ['60x8', '90x8'].map((values, instance) => ({
          series: `${name}{job="shop",instance="${instance}",${pair}}`,
          values,
        })),
        promql_expr_test: queries.map(({ expression }) => ({
          expr: expression,
          eval_time: '1m',
          exp_samples: [
            { labels: '{provider="provider",interface="easy",environment="sandbox"}', value: 60 },
          ],
        })),
      });
      expect(queries).toHaveLength(1);
      expect(output).toContain('SUCCESS');
      expect(code).toBe(0);
    },
  );
});

describe('the log query of the page, in jq', () => {
  it('B29: prints the code and the host of each line about trouble in the log of pino, and of the logger of Nest', async () => {
    const app = await OperatedApp.start();
    await app.payment();
    app.provider.token.status(503);
    app.provider.token.revokeAll();
    for (let calls = 0; calls < 3; calls += 1) await app.payment();
    app.provider.reset();
    await vi.waitFor(async () => expect(await app.payment()).toBe(200), SOON);

    const folder = givenFolder();
    // Node and other programs write to the same log.
    const foreign = '(node:7) Warning: ProviderAuth (TOKEN_REJECTED, elsewhere)\n7\n';
    await writeFile(join(folder, 'app.log'), foreign + app.log.join('') + foreign);
    const { code, output } = await runCommand('sh', ['-c', shown('log-query')], { cwd: folder });
    const { host } = new URL(app.provider.origin);
    expect(withoutTime(output).replaceAll(host, 'sandbox.provider.example')).toBe(
      `${withoutTime(shown('log-query-output'))}\n`,
    );
    expect(code).toBe(0);
    const [line] = app.lines();
    // Nest's own logger has other names for the same members.
    const ofNest = app
      .lines()
      .map(({ context, time, msg }) => JSON.stringify({ timestamp: time, message: msg, context }));
    await writeFile(join(folder, 'app.log'), ofNest.join('\n'));
    expect(await runCommand('sh', ['-c', shown('log-query')], { cwd: folder })).toMatchObject({ output });
    expect(output.split(' ')[0]).toBe(`${new Date(line?.time ?? 0).toISOString().slice(0, 19)}Z`);
  }, 120_000);
});

function withoutTime(output: string): string {
  return output.replaceAll(/^\S+Z /gm, '');
}
