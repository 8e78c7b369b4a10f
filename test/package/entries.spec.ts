import { writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagesReachedFrom } from '../support/package/module-graph.js';
import {
  entries,
  installedWith,
  manifest,
  optionalPeers,
  requiredPeers,
  ROOT,
} from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

/** The names that each entry exports at run time. Adding or removing a name is a change for users: add it to the changelog. */
const NAMES: Record<string, string[]> = {
  '.': [
    'AccessToken',
    'EasyHttpService',
    'InjectProviderFetch',
    'InjectProviderHttp',
    'InjectTokenProvider',
    'OriginationsHttpService',
    'ProviderAuthConfigError',
    'ProviderAuthError',
    'ProviderAuthExceptionFilter',
    'ProviderAuthModule',
    'ProviderAuthService',
    'RequestRefusedError',
    'Secret',
    'TokenProvider',
    'TokenRequestError',
    'defineProvider',
    'getProviderFetchToken',
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

/** The dependencies of the package. npm installs them with it. */
const OF_MAIN_ENTRY = ['proxy-from-env'];

/** A folder with the package and all of its peers. */
const furnished = await installedWith([
  ...requiredPeers,
  ...optionalPeers,
  ...Object.keys(manifest.dependencies),
]);
afterAll(() => furnished.remove());

interface EntryReport {
  readonly imported: string[];
  readonly required: string[];
  readonly commonJs: string[];
  /** The names that `import` and `require` give as two copies. */
  readonly different: string[];
  /** Classes and functions whose name differs from the name of their export, in both builds. */
  readonly renamed: string[];
}

describe('each entry', () => {
  let reports: Record<string, EntryReport>;

  // One process loads all entries, because loading Nest takes longer than all checks.
  beforeAll(async () => {
    const asked = entries.map(({ subpath, default: commonJs }) => [
      subpath,
      posix.join(manifest.name, subpath),
      commonJs,
    ]);
    const reported = await reportOf(
      furnished.path,
      `
      const names = (module) => Object.keys(module).filter((name) => name !== '__esModule').sort();
      const renamed = (module) =>
        Object.entries(module)
          .filter(([name, value]) => typeof value === 'function' && value.name !== name)
          .map(([name, value]) => name + ' is ' + value.name);
      const reports = {};
      for (const [subpath, specifier, file] of ${JSON.stringify(asked)}) {
        const imported = await import(specifier);
        const required = require(specifier);
        const commonJs = require('./node_modules/${manifest.name}/' + file);
        reports[subpath] = {
          imported: names(imported),
          required: names(required),
          commonJs: names(commonJs),
          different: names(imported).filter((name) => imported[name] !== required[name]),
          renamed: [imported, commonJs].flatMap(renamed),
        };
      }
      report(reports);
    `,
    );
    reports = reported as typeof reports;
  }, 60_000);

  it.each(entries)(
    'B15: exports exactly these names, as one copy for import and require: $subpath',
    ({ subpath }) => {
      const names = NAMES[subpath];
      expect(reports[subpath]).toMatchObject({
        imported: names,
        required: names,
        commonJs: names,
        different: [],
      });
    },
  );

  it.each(entries)(
    'keeps the names of classes and functions, because logs and errors of Nest show them: $subpath',
    ({ subpath }) => {
      // registerAs returns the factory itself, and this factory has no name.
      const unnamed = subpath === '.' ? ['providerAuthConfig is ', 'providerAuthConfig is '] : [];
      expect(reports[subpath]?.renamed).toEqual(unnamed);
    },
  );
});

it.each([
  ['imported', `await import('${manifest.name}')`],
  ['loaded as CommonJS', `require('./node_modules/${manifest.name}/dist/cjs/index.js')`],
])('B14: the entry . loads class-validator when it validates options, not when it is %s', async (_, load) => {
  const reported = await reportOf(
    furnished.path,
    `
      const { ProviderAuthModule } = ${load};
      const { NestFactory } = await import('@nestjs/core');
      const isLoaded = () => Object.keys(require.cache).some((file) => file.includes('/class-validator/'));
      const before = isLoaded();
      const refused = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot({}), {
        logger: false,
        abortOnError: false,
      }).catch((error) => error);
      report({ before, refused: refused.code, after: isLoaded() });
    `,
  );
  expect(reported).toEqual({ before: false, refused: 'CONFIG_INVALID', after: true });
});

// A test without the optional peers would miss an import of such a peer inside of try and catch.
it.each(['esm', 'cjs'])(
  'the entry . imports no optional peer and no dependency of other entries, directly or indirectly: %s',
  async (build) => {
    const reached = await packagesReachedFrom(join(ROOT, 'dist', build, 'index.js'));
    expect(reached).toContain('axios');
    expect(reached.filter((name) => !requiredPeers.includes(name))).toEqual(OF_MAIN_ENTRY);
  },
);

/** Runs a program in a separate process in this directory, and returns its report. Warnings of Node make the test fail. */
async function reportOf(cwd: string, program: string): Promise<unknown> {
  const file = join(cwd, `program-${crypto.randomUUID()}.mjs`);
  await writeFile(
    file,
    `import 'reflect-metadata';
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const report = (value) => console.log(JSON.stringify(value));
    ${program}`,
  );
  const { code, output } = await runNode([file], { cwd });
  return code === 0 && output.split('\n').length === 2 ? JSON.parse(output) : output;
}
