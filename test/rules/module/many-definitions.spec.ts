import { HttpService } from '@nestjs/axios';
import type { DynamicModule } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import axios from 'axios';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bootWith } from '../../support/application/boot.js';
import { defineProvider } from '../../../lib/index.js';

const FEW = 10;
const MANY = 4 * FEW;

function defined(name: string) {
  return defineProvider({
    name,
    environments: ['test', 'live'],
    interfaces: { stock: {}, orders: {} },
  });
}

function settingsOf(name: string, environment: string) {
  return {
    baseUrl: `https://api.${name}.example/${environment}`,
    tokenUrl: `https://login.${name}.example/${environment}`,
    clientId: `id-${environment}`,
    clientSecret: `canary-secret-of-${environment}`,
  };
}

function configured(name: string): DynamicModule {
  const environments = () => ({ test: settingsOf(name, 'test'), live: settingsOf(name, 'live') });
  return defined(name).Module.forRoot({
    environment: 'test',
    interfaces: { stock: environments(), orders: environments() },
  });
}

/** All pairs of these definitions get variables. */
function byVariables(names: readonly string[]): DynamicModule[] {
  for (const name of names) {
    const prefix = name.toUpperCase();
    vi.stubEnv(`${prefix}_ENVIRONMENT`, 'test');
    for (const of of ['STOCK', 'ORDERS'])
      for (const environment of ['TEST', 'LIVE'])
        for (const [member, value] of Object.entries(settingsOf(name, environment.toLowerCase())))
          vi.stubEnv(
            [prefix, of, environment, member.replaceAll(/[A-Z]/g, '_$&').toUpperCase()].join('_'),
            value,
          );
  }
  return names.map((name) => {
    const { Module: Registered, config } = defined(name);
    return Registered.forRootAsync(config.asProvider());
  });
}

const boot = async (imports: DynamicModule[]) => (await bootWith(imports)).app;

/** How many modules are visited in all lists of modules. */
async function visitsOf(imports: DynamicModule[]): Promise<number> {
  let visits = 0;
  const visit = vi.spyOn(ModulesContainer.prototype, 'values').mockImplementation(function values(
    this: ModulesContainer,
  ) {
    visits += this.size;
    return Map.prototype.values.call(this) as ReturnType<ModulesContainer['values']>;
  });
  try {
    await boot(imports);
  } finally {
    visit.mockRestore();
  }
  return visits;
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}x`);
}

it.each([
  ['options in code', (all: string[]) => all.map(configured)],
  ['variables', byVariables],
])(
  'B31: an application visits at most six times the modules for four times the definitions, with %s',
  async (way, importing) => {
    const prefix = way === 'variables' ? 'supplier' : 'partner';
    const few = await visitsOf(importing(names(`${prefix}few`, FEW)));
    const many = await visitsOf(importing(names(`${prefix}many`, MANY)));
    expect(many / few).toBeLessThan(6);
  },
);

it('B31: each client is made when it is used, with the defaults that axios had at boot', async () => {
  const { defaults } = axios;
  onTestFinished(() => {
    delete defaults.headers.common['X-Early'];
    delete defaults.headers.common['X-Late'];
  });
  defaults.headers.common['X-Early'] = 'before the boot';
  const app = await boot([configured('lateused')]);
  defaults.headers.common['X-Late'] = 'after the boot';
  const { axiosRef } = app.get<HttpService>('LATEUSED_AUTH:HTTP:stock:test');
  expect(axiosRef.defaults.headers.common).toHaveProperty('X-Early');
  expect(axiosRef.defaults.headers.common).not.toHaveProperty('X-Late');
  expect(app.get<HttpService>('LATEUSED_AUTH:HTTP:stock').axiosRef).toBe(axiosRef);
  const second = await boot([configured('laterused')]);
  const later = second.get<HttpService>('LATERUSED_AUTH:HTTP:stock:test');
  expect(later.axiosRef.defaults.headers.common).toHaveProperty('X-Late');
});
