import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import nestAdd, { type Context, type Tree } from '../../../lib/schematics/nest-add.js';
import { ROOT } from '../../support/package/packed-package.js';

const APP_MODULE = 'src/app.module.ts';

/** The files of an application, as the Nest CLI gives them to a schematic. */
class FileTree implements Tree {
  readonly said: string[] = [];
  readonly tasks: object[] = [];

  constructor(readonly files: Record<string, string>) {}

  exists(path: string): boolean {
    return path in this.files;
  }

  read(path: string): Uint8Array | null {
    return this.exists(path) ? Buffer.from(this.files[path] ?? '') : null;
  }

  create(path: string, content: string): void {
    if (this.exists(path)) throw new Error(`${path} exists.`);
    this.files[path] = content;
  }

  overwrite(path: string, content: string): void {
    if (!this.exists(path)) throw new Error(`There is no ${path}.`);
    this.files[path] = content;
  }

  add(provider?: string): void {
    const log = (line: string) => void this.said.push(line);
    const context: Context = {
      logger: { info: log, warn: log },
      schematic: { description: { path: join(ROOT, 'dist/cjs/schematics') } },
      addTask: (task) => this.tasks.push(task.toConfiguration()),
    };
    nestAdd(provider === undefined ? {} : { provider })(this, context);
  }
}

function newApplication(appModule: string, nest = '^12.0.1'): FileTree {
  const dependencies = {
    '@nestjs/common': nest,
    '@nestjs/core': nest,
    'reflect-metadata': '^0.2.2',
    rxjs: '^7.8.1',
  };
  return new FileTree({
    'package.json': JSON.stringify({ name: 'shop', dependencies }),
    '.gitignore': '/dist\n.env\n',
    [APP_MODULE]: appModule,
  });
}

const ESM = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;
const COMMONJS = ESM.replace('.js', '').replace('  imports: [],\n', '');

describe('nest add nestjs-provider-auth', () => {
  it('B37: imports the built-in provider, and writes its variables, the ignored files and the peers', () => {
    const tree = newApplication(ESM);
    tree.add();
    expect(tree.files[APP_MODULE]).toBe(`import { ConfigModule } from '@nestjs/config';
import { ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { Module } from '@nestjs/common';
import { AppController } from './app.controller.js';

@Module({
  imports: [
    ConfigModule.forRoot(),
    ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()),
  ],
  controllers: [AppController],
})
export class AppModule {}
`);
    expect(tree.files['.env.example']).toMatch(/^PROVIDER_EASY_SANDBOX_TOKEN_URL=$/m);
    expect(tree.files['.gitignore']).toBe('/dist\n.env\n\n.provider-simulator/\n');
    const manifest = {
      name: 'shop',
      dependencies: {
        '@nestjs/axios': '^12.0.0',
        '@nestjs/common': '^12.0.1',
        '@nestjs/config': '^12.0.0',
        '@nestjs/core': '^12.0.1',
        axios: '^1.20.0',
        'class-validator': '^0.15.0',
        'reflect-metadata': '^0.2.2',
        rxjs: '^7.8.1',
      },
    };
    expect(tree.files['package.json']).toBe(`${JSON.stringify(manifest, null, 2)}\n`);
    expect(tree.tasks).toEqual([
      { name: 'node-package', options: { command: 'install', packageManager: undefined } },
    ]);
  });

  it('B37: imports a ready definition into an application of NestJS 11 without a list of imports', () => {
    const tree = newApplication(COMMONJS, '^11.0.1');
    tree.files['yarn.lock'] = '';
    tree.files['.env.example'] = 'PORT=3000\n';
    tree.add('auth0');
    expect(tree.files[APP_MODULE]).toBe(`import { ConfigModule } from '@nestjs/config';
import { auth0 } from './auth0.provider';
import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [
    ConfigModule.forRoot(),
    auth0.Module.forRootAsync(auth0.config.asProvider()),
  ],
  controllers: [AppController],
})
export class AppModule {}
`);
    expect(tree.files['src/auth0.provider.ts']).toBe(`import { defineProvider } from 'nestjs-provider-auth';

export const auth0 = defineProvider({
  name: 'auth0',
  environments: ['live'],
  interfaces: { orders: { audience: 'https://orders.example' } },
});
`);
    expect(tree.files['.env.example']).toBe(`PORT=3000

AUTH0_ENVIRONMENT=live
AUTH0_ORDERS_LIVE_TOKEN_URL=
AUTH0_ORDERS_LIVE_BASE_URL=
AUTH0_ORDERS_LIVE_CLIENT_ID=
AUTH0_ORDERS_LIVE_CLIENT_SECRET=
`);
    expect(JSON.parse(tree.files['package.json'] ?? '').dependencies['@nestjs/config']).toBe('^4.0.0');
    expect(tree.tasks).toMatchObject([{ options: { packageManager: 'yarn' } }]);
  });

  it('adds the peers to a package without dependencies', () => {
    const tree = newApplication(ESM);
    tree.files['package.json'] = '{ "name": "shop" }';
    tree.add();
    expect(Object.keys(JSON.parse(tree.files['package.json']).dependencies)).toContain('@nestjs/axios');
  });

  it.each([
    ['entraCert', 'src/entra-cert.provider.ts', 'ENTRA_CERT_ORDERS_LIVE_CLIENT_KEY_FILE='],
    ['ebay', 'src/ebay.provider.ts', 'EBAY_BROWSE_SANDBOX_CLIENT_SECRET='],
    ['partner', 'src/partner.provider.ts', 'PARTNER_API_LIVE_CLIENT_SECRET='],
  ])('B37: knows the variables of the definition %s', (name, file, variable) => {
    const tree = newApplication(ESM);
    tree.add(name);
    expect(tree.files[file]).toContain(`export const ${name} = defineProvider({\n  name: '${name}',`);
    expect(tree.files['.env.example']?.split('\n')).toContain(variable);
  });

  it.each([undefined, 'auth0'])('B37: does the same when it runs twice', (provider) => {
    const tree = newApplication(ESM);
    tree.add(provider);
    const once = { ...tree.files };
    tree.add(provider);
    expect(tree.files).toEqual(once);
    expect(tree.tasks).toHaveLength(1);
  });

  it.each([
    [
      '[A, B]',
      '[\n    ConfigModule.forRoot(),\n    auth0.Module.forRootAsync(auth0.config.asProvider()),\n    A, B]',
    ],
    [
      '[\n    A.forRoot({\n      imports: [],\n    }),\n  ]',
      '[\n    ConfigModule.forRoot(),\n    auth0.Module.forRootAsync(auth0.config.asProvider()),\n    A.forRoot({\n      imports: [],\n    }),\n  ]',
    ],
  ])('B37: keeps what the module imports: %j', (before, after) => {
    const tree = newApplication(ESM.replace('[]', before));
    tree.add('auth0');
    expect(tree.files[APP_MODULE]).toContain(`  imports: ${after},\n  controllers: [AppController],`);
  });

  it.each([
    ['computed metadata', ESM.replace(/@Module\([^]*?\}\)/, '@Module(metadata)')],
    ['a computed list', ESM.replace('[]', 'modules')],
    ['two modules', `${ESM}\n@Module({\n  imports: [],\n})\nexport class OtherModule {}\n`],
    ['no file', undefined],
  ])('B37: says what to add to a root module that it cannot read: %s', (_, source) => {
    const tree = newApplication(source ?? '');
    if (source === undefined) delete tree.files[APP_MODULE];
    tree.add();
    expect(tree.files[APP_MODULE]).toBe(source);
    expect(tree.said.join('\n')).toContain(`Add to your root module:

import { ConfigModule } from '@nestjs/config';
import { ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';

  imports: [ConfigModule.forRoot(), ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],`);
  });

  it('B37: refuses a name that is no name of a definition', () => {
    expect(() => newApplication(ESM).add('my provider')).toThrow('"my provider" is no name of a definition');
  });
});
