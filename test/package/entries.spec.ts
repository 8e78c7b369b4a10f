import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagesReachedFrom } from '../support/package/module-graph.js';
import {
  entries,
  install,
  manifest,
  optionalPeers,
  pack,
  requiredPeers,
  ROOT,
  temporaryDirectory,
} from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

/** What each entry gives at run time. A name that comes or goes is a change for users: it belongs in the changelog. */
const NAMES: Record<string, string[]> = {
  '.': [
    'AccessToken',
    'EasyHttpService',
    'InjectProviderHttp',
    'InjectTokenProvider',
    'OriginationsHttpService',
    'ProviderAuthConfigError',
    'ProviderAuthError',
    'ProviderAuthModule',
    'ProviderAuthService',
    'RequestRefusedError',
    'Secret',
    'TokenProvider',
    'TokenRequestError',
    'getProviderHttpToken',
    'getTokenProviderToken',
    'providerAuthConfig',
  ],
  './opentelemetry': ['ProviderAuthTelemetryModule'],
  './redis': ['RedisTokenStore'],
  './terminus': ['ProviderAuthHealthIndicator'],
  './testing': ['MemoryTokenStore', 'ProviderAuthTestingModule', 'ProviderSimulator', 'tokenStoreChecks'],
  './undici': ['undiciTransport'],
};

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
/** Where the package stands beside all of its peers. */
let furnished: string;
/** Where it stands beside the required ones alone. */
let bare: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const { tarball } = await pack(directory.path);
  furnished = join(directory.path, 'furnished');
  bare = join(directory.path, 'bare');
  const dependencies = Object.keys(manifest.dependencies);
  await install(tarball, furnished, [...requiredPeers, ...optionalPeers, ...dependencies]);
  await install(tarball, bare, requiredPeers);
}, 60_000);

afterAll(() => directory.remove());

describe.each(entries)('the entry $subpath', ({ subpath, default: commonJs }) => {
  const specifier = posix.join(manifest.name, subpath);

  it('B15: gives exactly these names, imported or required, as one copy', async () => {
    const told = await tell(
      furnished,
      `
      const imported = await import('${specifier}');
      const required = require('${specifier}');
      const commonJs = require('./node_modules/${manifest.name}/${commonJs}');
      const names = (module) => Object.keys(module).filter((name) => name !== '__esModule').sort();
      const different = names(imported).filter((name) => imported[name] !== required[name]);
      tell({ imported: names(imported), required: names(required), commonJs: names(commonJs), different });
    `,
    );
    const names = NAMES[subpath];
    expect(told).toEqual({ imported: names, required: names, commonJs: names, different: [] });
  });

  it('gives classes and functions the names that they have in logs and in errors of Nest', async () => {
    const told = await tell(
      furnished,
      `
      const builds = [await import('${specifier}'), require('./node_modules/${manifest.name}/${commonJs}')];
      const renamed = (module) =>
        Object.entries(module).filter(([name, value]) => typeof value === 'function' && value.name !== name);
      tell(builds.flatMap(renamed).map(([name, value]) => [name, value.name]));
    `,
    );
    // What registerAs gives is the factory that it was given.
    expect(told).toEqual(
      subpath === '.'
        ? [
            ['providerAuthConfig', ''],
            ['providerAuthConfig', ''],
          ]
        : [],
    );
  });
});

describe('the entry .', () => {
  it.each([
    ['imported', `await import('${manifest.name}')`],
    ['required', `require('${manifest.name}')`],
    ['loaded as CommonJS', `require('./node_modules/${manifest.name}/dist/cjs/index.js')`],
  ])('is there without any optional peer when it is %s', async (_, load) => {
    const told = await tell(bare, `tell(Object.keys(${load}).includes('ProviderAuthModule'));`);
    expect(told).toBe(true);
  });

  it.each([
    ['imported', `await import('${manifest.name}')`],
    ['loaded as CommonJS', `require('./node_modules/${manifest.name}/dist/cjs/index.js')`],
  ])('B14: loads class-validator when it validates options, not when it is %s', async (_, load) => {
    const told = await tell(
      furnished,
      `
      const { ProviderAuthModule } = ${load};
      const { NestFactory } = await import('@nestjs/core');
      const isLoaded = () => Object.keys(require.cache).some((file) => file.includes('/class-validator/'));
      const before = isLoaded();
      const refused = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot({}), {
        logger: false,
        abortOnError: false,
      }).catch((error) => error);
      tell({ before, refused: refused.code, after: isLoaded() });
    `,
    );
    expect(told).toEqual({ before: false, refused: 'CONFIG_INVALID', after: true });
  });

  // Absent peers would not betray an import that somebody catches.
  it.each(['esm', 'cjs'])(
    'leads to no optional peer and to no dependency of other entries: %s',
    async (build) => {
      const reached = await packagesReachedFrom(join(ROOT, 'dist', build, 'index.js'));
      expect(reached).toContain('axios');
      expect(reached.filter((name) => !requiredPeers.includes(name))).toEqual([]);
    },
  );
});

/** What a program tells that runs in a process of its own, in this directory; complaints of Node spoil it. */
async function tell(cwd: string, program: string): Promise<unknown> {
  const file = join(cwd, `program-${crypto.randomUUID()}.mjs`);
  await writeFile(
    file,
    `import 'reflect-metadata';
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const tell = (value) => console.log(JSON.stringify(value));
    ${program}`,
  );
  const { code, output } = await runNode([file], { cwd });
  return code === 0 && output.split('\n').length === 2 ? JSON.parse(output) : output;
}
