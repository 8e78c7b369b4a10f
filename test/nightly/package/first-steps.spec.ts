import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineProvider } from '../../../lib/index.js';
import { startSimulator, startSimulatorOf } from '../../support/application/simulator.js';
import { shownOn } from '../../support/package/code-blocks.js';
import { manifest, pack, temporaryDirectory } from '../../support/package/packed-package.js';
import { freePort, isListening } from '../../support/run/free-port.js';
import { Terminal } from '../../support/run/terminal.js';

const shown = await shownOn('README.md');

interface Simulated {
  readonly ca: string;
  env(): Record<string, string>;
}

/** Writes the variables of the simulator into the file of the README, without those of the production. */
async function writeVariables(app: string, provider: Simulated): Promise<void> {
  const lines = Object.entries(provider.env()).filter(([name]) => !name.includes('_PRODUCTION_'));
  await writeFile(join(app, '.env'), lines.map(([name, value]) => `${name}='${value}'\n`).join(''));
  await writeFile(join(app, 'authority.pem'), provider.ca);
}

/** Starts the application as the README does, and calls it. */
async function answerOf(app: string): Promise<unknown> {
  const port = await freePort();
  const env = { PORT: String(port), NODE_EXTRA_CA_CERTS: join(app, 'authority.pem') };
  const application = new Terminal(shown('start-app'), app, env);
  await application.shows('Nest application successfully started');
  // Nest writes this line before it listens.
  await vi.waitUntil(() => isListening(port), 10_000);
  return (await fetch(`http://localhost:${port}/`)).json();
}

const CALL = {
  'built-in': {
    imports: `import { EasyHttpService } from 'nestjs-provider-auth';`,
    parameter: 'private readonly http: EasyHttpService',
  },
  auth0: {
    imports: `import { HttpService } from '@nestjs/axios';\nimport { auth0 } from './auth0.provider.js';`,
    parameter: `@auth0.InjectHttp('orders') private readonly http: HttpService`,
  },
};

const controllerOf = ({ imports, parameter }: { imports: string; parameter: string }): string => `
import { Controller, Get } from '@nestjs/common';
import { map } from 'rxjs';
${imports}

@Controller()
export class AppController {
  constructor(${parameter}) {}

  @Get()
  call() {
    return this.http.get<object>('/payments/1').pipe(map(({ data }) => data));
  }
}
`;

describe.each([
  ['NestJS 12', '@nestjs/cli', manifest.name],
  ['NestJS 11', '@nestjs/cli@11', `${manifest.name} @nestjs/axios@4 @nestjs/config@4`],
])('an application that the CLI of %s has made, with Enter at each prompt', (_, cli, packages) => {
  let home: Awaited<ReturnType<typeof temporaryDirectory>>;
  let tarball: string;

  beforeAll(async () => {
    home = await temporaryDirectory();
    ({ tarball } = await pack(home.path));
  }, 60_000);

  afterAll(() => home.remove());

  /** A copy of an application of `nest new`. */
  async function newApplication(name: string): Promise<string> {
    const [first, app] = [join(home.path, 'shop'), join(home.path, name)];
    if (!existsSync(first))
      await new Terminal(`npx ${cli} new shop`, home.path, { npm_config_yes: 'true' }).ends();
    await cp(first, app, { recursive: true });
    return app;
  }

  it.each(['built-in', 'auth0'] as const)(
    'B37: nest add: the application has what it needs to call the provider %s',
    async (name) => {
      const auth0 = defineProvider({
        name: 'auth0',
        environments: ['live'],
        interfaces: { orders: { audience: 'https://orders.example' } },
      });
      const provider = name === 'auth0' ? await startSimulatorOf(auth0) : await startSimulator();
      const app = await newApplication(name);
      // `nest add` would install the published package. Without `-s`, this is what it does first.
      const install = `npm install ${packages.replace(manifest.name, tarball)} --no-audit --no-fund`;
      await new Terminal(install, app).ends();
      const answer = name === 'auth0' ? 'auth0\r' : '\r';
      const add = `npx nest add ${manifest.name} -s`;
      await new Terminal(add, app).ends(() => answer);
      const root = await readFile(join(app, 'src/app.module.ts'), 'utf8');
      await new Terminal(add, app).ends(() => answer);
      expect(await readFile(join(app, 'src/app.module.ts'), 'utf8')).toBe(root);
      await new Terminal('npx prettier --check src/app.module.ts', app).ends();

      const example = await readFile(join(app, '.env.example'), 'utf8');
      const variables = Object.keys(provider.env());
      expect(variables.filter((variable) => !example.includes(`${variable}=`))).toEqual([]);
      await writeVariables(app, provider);
      const isEsm = root.includes('.js');
      const controller = controllerOf(CALL[name]);
      await writeFile(
        join(app, 'src/app.controller.ts'),
        isEsm ? controller : controller.replace(`.js'`, `'`),
      );
      expect(await answerOf(app)).toMatchObject({ path: '/payments/1' });
      expect(provider.tokenRequests).toHaveLength(1);
    },
    600_000,
  );
});
